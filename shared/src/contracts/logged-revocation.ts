import { type Static, Type } from '../schema/type.ts';
import { createRecordReader } from './record.ts';

const Text = Type.Optional(Type.String({ minLength: 1 }));

/**
 * The revocation that a request made, for its line of the log. After a restore, these lines show which revocations have to be made again.
 * - leases: `viewerId`, `contentId` or both; one lease: `leaseId` and, if the management revoked it, its viewer and its content
 * - an API key: `apiKeyId`
 * - a content: `contentId` and `contentStatus`, also when it is active again
 * - a viewer: `viewerId`, `viewerStatus` and, if the block has an end, `blockedUntil` (ISO 8601), also when the block is lifted
 */
const LoggedRevocationSchema = Type.Object({
  leaseId: Text,
  viewerId: Text,
  /** In place of the id, where `LOG_VIEWER_ID` hides it. */
  viewerIdHash: Text,
  contentId: Text,
  apiKeyId: Text,
  viewerStatus: Type.Optional(Type.Union([Type.Literal('blocked'), Type.Literal('unblocked')])),
  blockedUntil: Text,
  contentStatus: Type.Optional(Type.Union([Type.Literal('active'), Type.Literal('disabled')])),
});
export type LoggedRevocation = Static<typeof LoggedRevocationSchema>;

/** Undefined for what is no such object, or names nothing. */
export function readLoggedRevocation(value: unknown): LoggedRevocation | undefined {
  const read = reader(value);
  return read && Object.keys(read).length > 0 ? read : undefined;
}
const reader = createRecordReader(LoggedRevocationSchema);

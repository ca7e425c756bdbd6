import { type Static, Type } from '../schema/type.ts';

/** The kinds of requests that are counted: for content keys and licenses, or for leases and sessions. */
export const usageRequests = ['keys', 'leases'] as const;
export type UsageRequests = (typeof usageRequests)[number];

/** By what the requests are counted. */
export const usageKinds = ['code', 'content', 'viewer', 'api-key'] as const;
export type UsageKind = (typeof usageKinds)[number];

/** A count of one minute. */
const UsageCountSchema = Type.Object({
  requests: Type.Enum([...usageRequests]),
  kind: Type.Enum(['total', ...usageKinds], { description: '`total` counts each request once.' }),
  /** An error code or an id. Empty for `total`, and for all series of a kind that have no count of their own. */
  series: Type.String({ maxLength: 1_024 }),
  served: Type.Integer({ minimum: 0 }),
  refused: Type.Integer({ minimum: 0 }),
});
export type UsageCount = Static<typeof UsageCountSchema>;

/** The counts of one process for one minute. */
export const UsageReportSchema = Type.Object({
  /** The process since its start, and the number of the report. A report that comes twice counts once. */
  id: Type.String({ pattern: '^[0-9a-f]{32}-[0-9]{1,15}$' }),
  at: Type.Integer({ minimum: 0, description: 'The start of the minute, milliseconds since 1970.' }),
  counts: Type.Array(UsageCountSchema, { maxItems: 1_000 }),
});
export type UsageReport = Static<typeof UsageReportSchema>;

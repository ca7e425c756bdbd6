import { createRecordReader, nullable } from '../contracts/index.ts';
import { type Static, Type } from '../schema/type.ts';

/**
 * A change of authority. It names the states to drop, not their new values: a process that needs a state reads it from
 * its owner. `leases` names one lease, or every lease of a viewer, of a content, or of the pair.
 */
export const ChangeSchema = Type.Union([
  Type.Object({ kind: Type.Literal('api-key'), keyHash: Type.String() }),
  Type.Object({ kind: Type.Literal('content'), contentId: Type.String() }),
  Type.Object({
    kind: Type.Literal('leases'),
    leaseId: nullable(Type.String()),
    viewerId: nullable(Type.String()),
    contentId: nullable(Type.String()),
  }),
]);
export type Change = Static<typeof ChangeSchema>;

const read = createRecordReader(ChangeSchema);

/** @returns null for anything that is not a change; messages from outside the process are not trusted */
export function parseChange(value: unknown): Change | null {
  return read(value) ?? null;
}

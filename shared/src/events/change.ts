import { type Static, Type } from 'typebox';
import { createRecordReader, nullable } from '../contracts/index.ts';

/**
 * A change of authority. It says what to forget, not what is true now: who needs the state reads it from its owner.
 * `leases` names one lease, or everything of a viewer, of a content, or of the pair.
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

/** @returns null for anything that is not a change; what arrives from outside the process is not trusted to be one */
export function parseChange(value: unknown): Change | null {
  return read(value) ?? null;
}

import { type Static, Type } from 'typebox';
import { nullable } from './record.ts';

/** The state that a decision about a lease needs. All times are milliseconds since 1970. */
export const LeaseStateSchema = Type.Object({
  viewerId: Type.String(),
  contentId: Type.String(),
  expiresAt: Type.Integer(),
  renewableUntil: Type.Integer({ description: 'From then on an expired lease stays expired.' }),
  revokedAt: nullable(Type.Integer()),
});
export type LeaseState = Static<typeof LeaseStateSchema>;

/** The time of the latest mark that covers a viewer and a content, in milliseconds since 1970; null where there is none. */
export const MarkSchema = nullable(Type.Integer());

/** A number of the change feed. The answer includes every change up to it. */
const AsOf = Type.Integer();
/** The lease service's answers to other services. */
export const LeaseAnswerSchema = Type.Object({ value: nullable(LeaseStateSchema), asOf: AsOf });
export const MarkAnswerSchema = Type.Object({ value: MarkSchema, asOf: AsOf });

/** The lease service as other services see it. */
export interface LeaseReader {
  /**
   * @returns null where no such lease exists
   * @throws AppError DEPENDENCY_UNAVAILABLE where the state cannot be known
   */
  findLease(leaseId: string): Promise<LeaseState | null>;
  /**
   * The latest mark that covers the pair: on the viewer, on the content, or on both together.
   *
   * @returns its time in milliseconds since 1970; null where there is no mark
   * @throws AppError DEPENDENCY_UNAVAILABLE where the state cannot be known
   */
  findMark(viewerId: string, contentId: string): Promise<number | null>;
}

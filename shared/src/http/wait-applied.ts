import type { WaitUntilApplied } from '../events/index.ts';
import { type Static, Type } from '../schema/type.ts';

/** `wait` of an act that takes rights away: `docs/reference/contract.md#waiting-until-it-is-applied`. */
export const WaitQuerySchema = Type.Object({
  wait: Type.Optional(
    Type.Literal('applied', {
      description:
        'Answers when no process decides by the state from before this act, at the latest after the longest AUTHORITY_MAX_AGE_SECONDS.',
    }),
  ),
});

/** The members that the answer has in addition. */
export const appliedMembers = {
  applied: Type.Optional(
    Type.Literal(true, { description: 'Present with `wait=applied`: every process has applied it.' }),
  ),
  appliedAfterMs: Type.Optional(
    Type.Integer({ minimum: 0, description: 'How long that took after the act was written.' }),
  ),
};

/**
 * Waits if the query asks for it. It is called once the act is written.
 *
 * @throws AppError DEPENDENCY_UNAVAILABLE if the wait failed. The act holds all the same
 */
export async function waitIfAsked(
  { wait }: Static<typeof WaitQuerySchema>,
  { waitUntilApplied }: { waitUntilApplied: WaitUntilApplied },
): Promise<{ applied?: true; appliedAfterMs?: number }> {
  return wait === undefined ? {} : { applied: true, appliedAfterMs: await waitUntilApplied() };
}

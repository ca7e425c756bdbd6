import type { Clock } from '../clock/clock.ts';
import { AppError } from '../errors/errors.ts';
import type { Authority } from './authority.ts';

/** The states that are known at this instant. */
export type KnownStates = { readonly [Name in keyof Authority]: Pick<Authority[Name], 'peek'> };

/** A state that a decision needs and that is not known now. */
export interface UnknownState {
  readonly cache: keyof Authority;
  readonly key: string;
}

/**
 * Reads for one request. A decision needs three states, an expired lease is read twice, and a change may overtake a read. If changes
 * overtake more reads than that, the server cannot know the states.
 */
const readsAtMost = 12;
/**
 * A request begins no read after this: hls.js waits 8 s for the first byte of a key (its `keyLoadPolicy`). If the owner is
 * slower than `AUTHORITY_MAX_AGE_SECONDS`, every state is too old when it comes, and twelve reads would be a minute.
 */
const readsForMs = 8_000;

/** A decision that names a state that it needs. */
interface Reading {
  readonly kind: 'read';
  readonly unknown: UnknownState;
}

type Settled<D extends { kind: string }> = Exclude<D, { kind: 'read' }>;

/**
 * Reads what a decision lacks and decides again from the beginning, until it needs nothing more.
 *
 * @param first the decision by what is known now
 * @param decide decides again. It must be pure but for the states
 * @throws AppError DEPENDENCY_UNAVAILABLE if a state cannot be known
 */
export async function settleDecision<D extends { readonly kind: string }>(
  first: D | Reading,
  decide: () => D | Reading,
  { authority, clock }: { authority: Authority; clock: Clock },
): Promise<Settled<D>> {
  const startedAtMs = clock.monotonic();
  let decision = first;
  for (let reads = 0; isReading(decision); reads++) {
    if (reads === readsAtMost) throw unknown('changes overtook every read');
    if (clock.monotonic() - startedAtMs >= readsForMs) throw unknown('the states came too late');
    await read(authority, decision.unknown);
    decision = decide();
  }
  return decision as Settled<D>;
}

function isReading(decision: { kind: string }): decision is Reading {
  return decision.kind === 'read';
}

async function read(authority: Authority, { cache, key }: UnknownState): Promise<void> {
  try {
    await authority[cache].load(key);
  } catch (cause) {
    // A state that could not be checked is neither a yes nor a no, whatever the reason.
    throw cause instanceof AppError ? cause : new AppError('DEPENDENCY_UNAVAILABLE', { cause });
  }
}

function unknown(reason: string): AppError {
  return new AppError('DEPENDENCY_UNAVAILABLE', { cause: new Error(reason) });
}

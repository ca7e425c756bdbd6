import { decideKeyRequest, type KeyRules } from '../decide-key-request.ts';
import type { LocalPace } from '../pace/local-pace.ts';
import type { PaceLedger } from './pace-ledger.fixture.ts';
import type { Outcome, SimulatedKeyServer } from './simulated-key-server.fixture.ts';
import { epochs } from './simulated-schedules.fixture.ts';

/** How often each outcome occurred, to show that the hard cases did. */
export type Tally = Record<string, number>;

function count(tally: Tally, name: string): void {
  tally[name] = (tally[name] ?? 0) + 1;
}

const rules: KeyRules = { contentMode: 'registered', leaseMode: 'optional' };
/** Content and mark, each of which may be overtaken by a change once. */
const readsAtMost = 4;

/**
 * One key request, decided by what its replica knows now, and paced by that replica alone.
 *
 * @throws Error if the answer breaks a guarantee
 */
export function askAlone(
  server: SimulatedKeyServer,
  which: 0 | 1,
  pace: LocalPace,
  ledger: PaceLedger,
  tally: Tally,
): void {
  const { authority } = server.replicas[which];
  const request = server.pickRequest(epochs);
  const decide = () => decideKeyRequest(request, authority, rules, server.wallOf(which), 0);
  let decision = decide();
  for (let reads = 0; decision.kind === 'read'; reads++) {
    const { cache, key } = decision.unknown;
    if (reads === readsAtMost || !server.read(which, cache, key)) return;
    decision = decide();
  }
  const outcome: Outcome =
    decision.kind === 'serve'
      ? { code: 'served', version: decision.keyVersion, isPaced: decision.paced !== null }
      : { code: decision.code, opensAt: decision.notYet?.opensAt };
  server.judge(which, request, outcome);
  count(tally, outcome.code);
  if (decision.kind !== 'serve' || decision.paced === null) return;
  const paced = { ...request, periods: decision.paced };
  const waitMs = pace.take(paced);
  if (waitMs > 0) count(tally, 'KEY_PACE_EXCEEDED');
  if (ledger.note(paced, which, waitMs, server.nowMs)) count(tally, 'as much as the pace allows');
}

import { viewerToken } from '@latchkey/support/tokens';
import type { Question } from '../client/ask.ts';
import { type Load, startLoad } from '../client/load.ts';
import type { Fault } from '../faults/fault.ts';
import { tokenSecret } from '../stack/secrets.ts';
import type { Stack } from '../stack/stack.ts';

/** Longer than the shortened window and hold of the slowest of their alerts. */
const seconds = 22;
/** Half as many as the key requests of the viewers: far above 5 % of all. */
const refusedPerSecond = 15;
/** A shortened window of 8 s has more than the 20 that the rules ask for. */
const reportsPerSecond = 6;

/** Above every threshold of `docs/slo.md`. Times in milliseconds. */
const poorReport = {
  timeToFirstFrame: 6_000,
  avgDecryptTime: 40,
  avgFragLoadTime: 2_000,
  avgKeyFetchTime: 1_500,
  keyFetchCount: 3,
  qualitySwitches: 4,
  fragmentsLoaded: 60,
  stallCount: 5,
};

/** What clients suffer or do while every process is well. */
export const clientFaults: readonly Fault[] = [
  asked('a third of the key requests with a token of another issuer', refusedPerSecond, () => ({
    path: '/keys/alert-film',
    headers: {
      authorization: `Bearer ${viewerToken('the secret of another issuer, long enough', 'somebody')}`,
    },
  })),
  asked('players with a poor network and slow devices', reportsPerSecond, () => ({
    method: 'POST',
    path: '/api/v1/player-metrics',
    headers: { authorization: `Bearer ${viewerToken(tokenSecret, 'somebody')}` },
    json: poorReport,
  })),
];

function asked(name: string, perSecond: number, next: () => Question): Fault {
  const loads = new Map<Stack, Load>();
  return {
    name,
    seconds,
    unseenByViewers: true,
    begin(stack) {
      const origin = stack.gateways[0]?.url ?? '';
      loads.set(
        stack,
        startLoad(perSecond, () => ({ origin, question: next() })),
      );
    },
    async end(stack) {
      await loads.get(stack)?.stop();
      loads.delete(stack);
    },
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Checks } from '../checks.ts';
import { countByStatus } from '../client/count-answers.ts';
import { startLoad } from '../client/load.ts';
import type { Answer } from '../client/send-request.ts';
import { adminKey, tokenSecret } from '../stack/secrets.ts';
import type { Stack } from '../stack/stack.ts';
import { startLoadBalancer } from './load-balancer.ts';
import { createMixedLoad } from './mixed-load.ts';

/** Between two restarts the load balancer probes each gateway a few times. */
const betweenMs = 1_500;

/** Fewer than the machine can answer, so that only a restart makes a request fail: 4 of 10 are a Postgres transaction, on the same cores. */
const requestsPerSecond = 200;

/** Restarts every process, one at a time, under load. Returns a table. */
export async function restartInTurn(stack: Stack, checks: Checks): Promise<string> {
  const { auth, content, leases, playback, 'key-derivation': keyDerivation } = stack.servers;
  const balancer = startLoadBalancer(stack.gateways);
  const next = await createMixedLoad(balancer.origin(), adminKey, tokenSecret, stack.playlistUrl);
  const load = startLoad(requestsPerSecond, () => ({ origin: balancer.origin(), question: next() }));
  const rows: string[] = [];
  let counted = 0;
  try {
    for (const group of [keyDerivation, leases, auth, content, playback, stack.gateways]) {
      for (const server of group) {
        await server.end('SIGTERM');
        server.start();
        await stack.waitReady();
        await sleep(betweenMs);
      }
      const seen: Answer[] = load.answers.slice(counted);
      counted += seen.length;
      const name = group[0]?.name.replace(/-\d+$/, '') ?? '';
      rows.push(`| ${name}, ${group.length} in turn | ${countByStatus(seen)} |`);
      const failed = seen.filter(({ status }) => status < 200 || status >= 300);
      checks.check(
        `restarting each process of ${name} in turn fails no request`,
        failed.length === 0,
        countByStatus(failed),
      );
    }
  } finally {
    balancer.stop();
    await load.stop();
  }
  const rest = load.answers.slice(counted).filter(({ status }) => status < 200 || status >= 300);
  checks.check('no request under way at the end fails', rest.length === 0, countByStatus(rest));
  return ['| restarted | requests |', '|---|---|', ...rows].join('\n');
}

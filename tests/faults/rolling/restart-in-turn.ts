import { setTimeout as sleep } from 'node:timers/promises';
import { makeSecrets } from '@latchkey/support/stack/start-stack';
import { viewerToken } from '@latchkey/support/tokens';
import type { Checks } from '../checks.ts';
import { countByStatus } from '../client/count-answers.ts';
import { startLoad } from '../client/load.ts';
import { type Answer, ask } from '../client/send-request.ts';
import { secrets as before } from '../stack/secrets.ts';
import type { Stack } from '../stack/stack.ts';
import { startLoadBalancer } from './load-balancer.ts';
import { createMixedLoad } from './mixed-load.ts';

/** Between two restarts the load balancer probes each gateway a few times. */
const betweenMs = 1_500;

/** Fewer than the machine can answer, so that only a restart makes a request fail: 3 of 10 are a Postgres transaction, on the same cores. */
const requestsPerSecond = 200;

const isServed = ({ status }: Answer) => status >= 200 && status < 300;

/**
 * Replaces the secrets by the steps of docs/operate/rotation.md, under load: in each step every process is restarted, one at a time. Returns a
 * table.
 */
export async function restartInTurn(stack: Stack, checks: Checks): Promise<string> {
  const { auth, content, leases, playback, 'key-derivation': keyDerivation } = stack.servers;
  const groups = [keyDerivation, leases, auth, content, playback, stack.gateways];
  const after = makeSecrets();
  const steps = [
    { done: 'the next secrets are accepted', variables: { ...before, ...asPrevious(after) } },
    { done: 'they are used', variables: { ...after, ...asPrevious(before) } },
    { done: 'those before are taken away', variables: after },
  ];
  const balancer = startLoadBalancer(stack.gateways);
  const requests = await createMixedLoad(balancer.origin(), before, stack.playlistUrl);
  const load = startLoad(requestsPerSecond, () => ({ origin: balancer.origin(), question: requests.next() }));
  const columns: string[][] = [];
  let counted = 0;
  try {
    for (const { done, variables } of steps) {
      const column: string[] = [];
      for (const group of groups) {
        for (const server of group) {
          await server.end('SIGTERM');
          server.start(undefined, variables);
          await stack.waitReady();
          await sleep(betweenMs);
        }
        const seen = load.answers.slice(counted);
        counted += seen.length;
        column.push(countByStatus(seen));
        const failed = seen.filter((answer) => !isServed(answer));
        checks.check(
          `restarting each process of ${nameOf(group)} in turn, so that ${done}, fails no request`,
          failed.length === 0,
          countByStatus(failed),
        );
      }
      columns.push(column);
      // Applications and operators change over between the first step and the last one.
      requests.use(after);
    }
  } finally {
    balancer.stop();
    await load.stop();
  }
  const rest = load.answers.slice(counted).filter((answer) => !isServed(answer));
  checks.check('no request under way at the end fails', rest.length === 0, countByStatus(rest));
  await checkRefused(balancer.origin(), checks);
  const rows = groups.map((group, row) =>
    [`${nameOf(group)}, ${group.length} in turn`, ...columns.map((column) => column[row])].join(' | '),
  );
  const head = ['restarted', ...steps.map(({ done }) => done)];
  return [
    `| ${head.join(' | ')} |`,
    `|${'---|'.repeat(head.length)}`,
    ...rows.map((row) => `| ${row} |`),
  ].join('\n');
}

const nameOf = ([first]: Stack['gateways']) => first?.name.replace(/-\d+$/, '') ?? '';

const asPrevious = (secrets: ReturnType<typeof makeSecrets>) =>
  Object.fromEntries(Object.entries(secrets).map(([name, secret]) => [`${name}_PREVIOUS`, secret]));

async function checkRefused(origin: string, checks: Checks): Promise<void> {
  const credentials = {
    'a token by the secret before': viewerToken(before.AUTH_JWT_SECRET, 'player-0'),
    'the ADMIN_API_KEY before': before.ADMIN_API_KEY,
  };
  for (const [name, credential] of Object.entries(credentials)) {
    const headers = { authorization: `Bearer ${credential}` };
    const { status } = await ask(origin, { path: '/keys/rolling-film', headers });
    checks.check(`${name} is refused at the end`, status === 401, String(status));
  }
}

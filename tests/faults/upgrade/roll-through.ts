import { setTimeout as pause } from 'node:timers/promises';
import type { LatchkeyProcess } from '@latchkey/support/processes/latchkey-process';
import { createStack, type Stores } from '@latchkey/support/stack/start-stack';
import { processKinds } from '@latchkey/support/stack/topology';
import { viewerToken } from '@latchkey/support/tokens';
import { createPlayers, type Players } from './players.ts';
import type { Release } from './previous-release.ts';
import { demand, newLease, registration, startSteadyLoad } from './steady-load.ts';
import type { Tally } from './tally.ts';

/** Two of each: one serves while the other restarts. */
const replicas = { auth: 2, content: 2, leases: 2, 'key-derivation': 2, gateway: 2 };
/** A drain that is long enough for other services to notice by an answer that a process is about to end. */
const settings = { SHUTDOWN_DRAIN_SECONDS: '1', LOG_LEVEL: 'fatal' };
/** `docs/reference/contract.md#revocation`: a request later than this after a revocation is refused. */
const propagationMs = 5_000;
/** A 503 serves no key either, but a refusal must follow within this time. */
const unknownMs = 30_000;
const againAfterMs = 100;
/** Percent. A process without processor time answers 503. A fault that lost calls during restarts once cost 16 %. */
const sentAgainPercent = 2;
/** Enough that each replica of key-derivation gets several of them, whichever the gateway picks. */
const asksOfEachGateway = 6;

/** Replaces every process of one release by one of the next and back, under requests, on one database. */
export async function rollThrough(
  before: Release,
  now: Release,
  stores: Stores,
  tally: Tally,
): Promise<void> {
  const stack = await createStack({ stores, rolePrefix: 'latchkey_rolling', replicas, settings });
  const { all, processes } = stack;
  const { ADMIN_API_KEY: admin, AUTH_JWT_SECRET: tokenSecret } = stack.secrets;
  await stack.migrate(before.folder);
  const gateways = stack.doors.map(({ url }) => url);
  const players = createPlayers();
  await players.useGateways(gateways);

  const replace = async (half: 0 | 1, release: Release) => {
    // A load balancer also does this when a gateway reports that it is about to end.
    await players.useGateways(gateways.filter((_, index) => index !== half));
    await Promise.all(processKinds.map((kind) => restart(processes[kind][half], release)));
    await players.useGateways(gateways);
  };
  const steps: [string, () => Promise<void> | void][] = [
    [`${before.version} alone`, () => {}],
    [`${before.version} after the migration`, () => stack.migrate(now.folder)],
    [`half of each service on ${now.version}`, () => replace(0, now)],
    [`${now.version} alone`, () => replace(1, now)],
    [`half of each service back on ${before.version}`, () => replace(0, before)],
    [`${before.version} alone again`, () => replace(1, before)],
  ];
  try {
    for (const process of all) process.start(before.folder);
    await Promise.all(all.map((process) => process.waitReady()));
    const load = await startSteadyLoad(players, admin, tokenSecret);
    try {
      for (const [index, [name, step]] of steps.entries()) {
        await step();
        const fault = await findRevocationFault(players, gateways, {
          admin,
          tokenSecret,
          id: `step-${index}`,
        });
        tally.check(`${name}: a revocation holds on every replica`, fault === null, fault ?? '');
      }
    } finally {
      const { answered, answeredLater, failures } = await load.stop();
      const counts = `${answered} answered, ${answeredLater} of them when sent again, ${failures.length} not`;
      tally.check(
        'every request was answered with success, from the first step to the last',
        failures.length === 0 && answered > 0,
        [counts, ...failures.slice(0, 5)].join('; '),
      );
      tally.check(
        `at most ${sentAgainPercent} of a hundred requests had to be sent again after 503`,
        answeredLater * 100 <= answered * sentAgainPercent,
        counts,
      );
    }
  } finally {
    await stack.end('SIGKILL');
  }
}

async function restart(process: LatchkeyProcess | undefined, { folder }: Release): Promise<void> {
  if (!process) return;
  await process.end('SIGTERM');
  process.start(folder);
  await process.waitReady();
}

/** Creates a lease, revokes it, and sends requests to every replica. Returns what was wrong, or null. */
async function findRevocationFault(
  players: Players,
  gateways: readonly string[],
  { admin, tokenSecret, id }: { admin: string; tokenSecret: string; id: string },
): Promise<string | null> {
  const as = viewerToken(tokenSecret, id);
  await demand(players, 201, registration(admin, id));
  const { json } = await demand(players, 201, newLease(as, id));
  const asked = gateways.flatMap((gateway) => Array.from({ length: asksOfEachGateway }, () => gateway));
  const ask = (gateway: string) => players.ask({ path: `/keys/${id}`, as, leaseId: json.lease.id, gateway });
  for (const gateway of asked) {
    let { status } = await ask(gateway);
    for (let tries = 1; status === 503 && tries < unknownMs / againAfterMs; tries++) {
      await pause(againAfterMs);
      ({ status } = await ask(gateway));
    }
    if (status !== 200) return `${status} for the key before the revocation`;
  }
  await demand(players, 200, {
    method: 'POST',
    path: '/keys/leases/revoke',
    as: admin,
    json: { viewerId: id },
  });
  const revokedAtMs = performance.now();
  for (;;) {
    const afterMs = performance.now() - revokedAtMs;
    const statuses: number[] = [];
    for (const gateway of asked) statuses.push((await ask(gateway)).status);
    const other =
      statuses.find((status) => status !== 403 && status !== 503) ??
      statuses.find((status) => status === 503);
    if (other === undefined) return null;
    const limitMs = other === 503 ? unknownMs : propagationMs;
    if (afterMs >= limitMs)
      return `${other} for the key asked for ${Math.round(afterMs)} ms after the revocation`;
    await pause(againAfterMs);
  }
}

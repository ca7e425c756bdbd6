// `npm run test:rotations`: replaces each secret of real servers under load, and counts what clients see.
import { setTimeout as pause } from 'node:timers/promises';
import { writeFinding } from '@latchkey/support/measured/finding';
import { readFlags } from '@latchkey/support/read-flags';
import { createChecks } from '../checks.ts';
import { type Credentials, readBucket, signedWith } from './credentials.ts';
import { describeFailures, type LoadReport, startJudgedLoad } from './judged-load.ts';
import { createMixedRequests } from './mixed-requests.ts';
import type { ProfileName } from './prepared-profile.ts';
import { type RotatedStack, startRotatedStack } from './rotated-stack.ts';
import type { Rotation } from './rotation.ts';
import { rotations } from './rotation-list.ts';

const usage = `npm run test:rotations: replaces each secret of real servers while 200 requests a second go on

Starts a single node on SQLite, one with workers, one on Postgres, and separate services with Postgres, Redis and NATS of this machine. Every
secret comes from a file. Viewers and applications fetch keys and playlists, create and renew leases, sign uploads and read lists. Every
answer is judged by its status and its content, and no request is sent twice. Some minutes.

  npm run test:rotations
  npm run test:rotations -- --only NATS        rotations whose name contains this, or one of several after commas
  npm run test:rotations -- --profile workers  one profile, or several after commas
  npm run test:rotations -- --write            puts the table into docs/rotation.md

Ends with: N passed, N failed. Exits 0 if nothing failed.
`;

const { values: flags } = readFlags(usage, {
  options: {
    only: { type: 'string', default: '' },
    profile: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
});

const requestsPerSecond = 200;
/** Before the first step and after the last one, so that both have hundreds of requests. */
const aroundMs = 2_000;
const profiles: readonly ProfileName[] = [
  'single node',
  'workers',
  'single node on Postgres',
  'separate services',
];

const say = (line: string) => void process.stdout.write(`${line}\n`);
const checks = createChecks(say);
const open = new Set<RotatedStack>();
const among = (chosen: string, name: string) => chosen.split(',').some((part) => name.includes(part));

/** @returns the row of the table */
async function tryRotation({ name, rotate }: Rotation, stack: RotatedStack): Promise<string> {
  const { secrets, origin } = stack;
  const credentials: Credentials = {
    adminKey: secrets.read('ADMIN_API_KEY'),
    tokenOf: signedWith(secrets.read('AUTH_JWT_SECRET')),
    buckets: [readBucket(secrets)],
  };
  const next = await createMixedRequests(origin, credentials, stack.playlistUrl);
  const load = startJudgedLoad(requestsPerSecond, () => ({ origin: origin(), asked: next() }));
  let seconds = 0;
  let prove = async () => {};
  let report: LoadReport;
  try {
    await pause(aroundMs);
    const startedAtMs = performance.now();
    prove = await rotate({ stack, credentials, checks, load });
    seconds = (performance.now() - startedAtMs) / 1_000;
    await pause(aroundMs);
  } finally {
    report = await load.stop();
    const sentence = `${name}, ${stack.profile}: none of ${report.count} requests fails`;
    checks.check(sentence, report.failures.length === 0, describeFailures(report));
  }
  await prove();
  const cells = [
    name,
    stack.profile,
    report.count.toLocaleString('en'),
    report.failures.length,
    report.longestMs.toFixed(0),
    seconds.toFixed(1),
  ];
  return `| ${cells.join(' | ')} |`;
}

async function runProfile(profile: ProfileName, rows: Map<Rotation, string[]>): Promise<void> {
  const chosen = rotations.filter((each) => each.profiles.includes(profile) && among(flags.only, each.name));
  let stack: RotatedStack | null = null;
  const stop = async () => {
    if (stack) open.delete(stack);
    await stack?.stop();
    stack = null;
  };
  for (const rotation of chosen) {
    await checks.run(`${rotation.name}, ${profile}`, async () => {
      let isDone = false;
      try {
        stack ??= await startRotatedStack(profile);
        open.add(stack);
        rows.set(rotation, [...(rows.get(rotation) ?? []), await tryRotation(rotation, stack)]);
        isDone = true;
      } finally {
        // What a failed rotation left half done would fail the next one.
        if (!isDone) await stop();
      }
    });
  }
  await stop();
}

async function main(): Promise<void> {
  const rows = new Map<Rotation, string[]>();
  for (const profile of profiles.filter((name) => among(flags.profile, name)))
    await runProfile(profile, rows);
  const table = [
    '| rotation | profile | requests | failed | longest answer, ms | steps took, s |',
    '|---|---|---|---|---|---|',
    ...rotations.flatMap((rotation) => rows.get(rotation) ?? []),
  ].join('\n');
  say(`\n${table}`);
  if (flags.write) writeFinding('rotations', table, 'test:rotations', process.argv.slice(2));
  say(`\n${checks.summary()}`);
  process.exitCode = checks.ok() ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await Promise.all([...open].map((stack) => stack.stop()));
    process.exit(130);
  });
}
await main();
// Exits at once: Node can hang while it closes sockets of killed processes.
process.exit();

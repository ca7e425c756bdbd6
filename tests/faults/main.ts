// `npm test -- faults`: starts the distributed profile on its own Postgres, Redis and NATS, breaks one part after the other,
// and ends with the line `N passed, N failed`.

import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFinding } from '@latchkey/support/measured/finding';
import { createRandom } from '@latchkey/support/random';
import { readFlags } from '@latchkey/support/read-flags';
import type { Replicas } from '@latchkey/support/stack/distributed-profile';
import { createChecks } from './checks.ts';
import { tryDatabases } from './databases/try-databases.ts';
import { runFaults } from './faults/run-faults.ts';
import { gatewayHeapMiB, silenceReplicas } from './herd/silence-replicas.ts';
import { killInTurn } from './kills/kill-rounds.ts';
import { measureRevocations } from './revocation/measure-revocations.ts';
import { restartInTurn } from './rolling/restart-in-turn.ts';
import { type Stack, type StackOptions, startStack } from './stack/stack.ts';

const usage = `Breaks the services and stores of Latchkey, and counts what clients see.

  npm test -- faults                            all parts, in some twelve minutes
  npm test -- faults --part faults --only Redis
  npm test -- faults --part kills --rounds 150 --seed 7
  npm test -- faults --full --write          1,000 revocations of each kind, 150 kills; puts the tables into the documents

  --part revocation,rolling,kills,faults,databases,herd   --revocations 250   --rounds 12   --only <part of a fault's name>
  --seed <number>   --logs <folder>  keeps the servers' own logs in this folder
`;

const { values: flags } = readFlags(usage, {
  options: {
    part: {
      type: 'string',
      default: 'revocation,rolling,kills,faults,databases,herd',
    },
    only: { type: 'string', default: '' },
    revocations: { type: 'string' },
    rounds: { type: 'string' },
    seed: { type: 'string' },
    logs: { type: 'string' },
    full: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});

const root = join(import.meta.dirname, '..', '..');
const threeReplicas: Replicas = {
  auth: 1,
  content: 1,
  leases: 1,
  'key-derivation': 3,
  playback: 1,
  gateway: 1,
};
const twoOfEach: Replicas = {
  auth: 2,
  content: 2,
  leases: 2,
  'key-derivation': 2,
  playback: 2,
  gateway: 2,
};
const rolling: StackOptions = { replicas: twoOfEach, drainSeconds: 3, isBreakable: false };
/** Requests a second during the restarts: 4 of 10 are a Postgres transaction, on the same cores. */
const rollingRate = 200;
/** Viewers with a connection each, and the requests of all together. */
const herd = { full: { viewers: 9_500, perSecond: 1_500 }, usual: { viewers: 3_000, perSecond: 600 } };
/** Revocations of each kind while something is broken. */
const revocationsBroken = { full: 100, usual: 20 };

/** The plot: the share of replicas that had refused, by time. */
const plotFile = 'tests/bench/revocation.svg';
const say = (line: string) => void process.stdout.write(`${line}\n`);
const checks = createChecks(say);
const open = new Set<{ stop(): Promise<void> }>();
let plot = '';

async function onStack<T>(options: StackOptions, work: (stack: Stack) => Promise<T>): Promise<T> {
  const stack = await startStack(options);
  open.add(stack);
  try {
    return await work(stack);
  } finally {
    if (flags.logs) cpSync(stack.folder, flags.logs, { recursive: true });
    open.delete(stack);
    await stack.stop();
  }
}

function chooseRandom(): (below: number) => number {
  const seed = Number(flags.seed ?? Math.floor(Math.random() * 2 ** 31));
  say(`--seed ${seed} repeats the random moments`);
  return createRandom(seed);
}

const parts: Record<string, () => Promise<string>> = {
  revocation: () =>
    onStack({ replicas: threeReplicas }, async (stack) => {
      const count = Number(flags.revocations ?? (flags.full ? 1_000 : 250));
      const countBroken = flags.full ? revocationsBroken.full : revocationsBroken.usual;
      const report = await measureRevocations(stack, checks, { count, countBroken, say });
      plot = report.plot;
      return report.table;
    }),
  faults: () => onStack({ replicas: threeReplicas }, (stack) => runFaults(stack, checks, flags.only)),
  databases: () =>
    onStack({ replicas: { ...threeReplicas, 'key-derivation': 2 } }, (stack) =>
      tryDatabases(stack, checks, flags.only),
    ),
  herd: () => {
    const moreEnv = { gateway: { NODE_OPTIONS: `--max-old-space-size=${gatewayHeapMiB}` } };
    const options = { ...(flags.full ? herd.full : herd.usual), say };
    return onStack({ replicas: threeReplicas, moreEnv, isBreakable: false }, (stack) =>
      silenceReplicas(stack, checks, options),
    );
  },
  rolling: () => onStack(rolling, (stack) => restartInTurn(stack, checks, rollingRate)),
  kills: () => {
    const random = chooseRandom();
    const rounds = Number(flags.rounds ?? (flags.full ? 150 : 12));
    return onStack({ replicas: { ...threeReplicas, 'key-derivation': 1 } }, (stack) =>
      killInTurn(stack, checks, { rounds, random }),
    );
  },
};

function write(part: string, table: string): void {
  // The folder of the logs does not matter for what was measured.
  const given = process.argv
    .slice(2)
    .join(' ')
    .replace(/ ?--logs \S+/, '');
  writeFinding(part, table, 'npm test', ['faults', ...given.split(' ')]);
  if (part === 'revocation') writeFileSync(join(root, plotFile), plot);
}

async function main(): Promise<void> {
  for (const part of flags.part.split(',')) {
    const run = parts[part];
    if (!run) throw new Error(`The part ${part} does not exist.\n${usage}`);
    await checks.run(`--- ${part}`, async () => {
      const table = await run();
      say(`\n${table}`);
      if (flags.write) write(part, table);
    });
  }
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

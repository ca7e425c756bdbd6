// `npm test -- faults`: starts the distributed profile on its own Postgres, Redis and NATS, breaks one part after the other,
// and ends with the line `N passed, N failed`.

import { cpSync } from 'node:fs';
import { writeFinding } from '@latchkey/support/measured/finding';
import { readFlags } from '@latchkey/support/read-flags';
import type { Replicas } from '@latchkey/support/stack/start-stack';
import { createChecks } from './checks.ts';
import { tryDatabases } from './databases/try-databases.ts';
import { runFaults } from './faults/run-faults.ts';
import { gatewayHeapMiB, silenceReplicas } from './herd/silence-replicas.ts';
import { killInTurn } from './kills/kill-rounds.ts';
import { measureRevocations } from './revocation/measure-revocations.ts';
import { restartInTurn } from './rolling/restart-in-turn.ts';
import { type Stack, type StackOptions, startBreakableStack } from './stack/stack.ts';

const usage = `Breaks the services and stores of Latchkey, and counts what clients see. It needs Postgres, Redis and NATS as programs of
this machine, and takes up to a quarter of an hour on two cores.

  npm test -- faults                                  all parts
  npm test -- faults --part faults --only Redis       one part, or several after commas; the faults whose name contains this
  npm test -- faults --write                          puts the tables of whole parts into docs/design/faults.md

  --part revocation,rolling,kills,faults,databases,herd
  --logs FOLDER   keeps the servers' own logs

Ends with: N passed, N failed. Exits 0 if nothing failed.
`;

const { values: flags } = readFlags(usage, {
  options: {
    part: { type: 'string', default: 'revocation,rolling,kills,faults,databases,herd' },
    only: { type: 'string', default: '' },
    logs: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});

const three: Replicas = { auth: 1, content: 1, leases: 1, 'key-derivation': 3, playback: 1, gateway: 1 };
const twoOfEach: Replicas = {
  auth: 2,
  content: 2,
  leases: 2,
  'key-derivation': 2,
  playback: 2,
  gateway: 2,
};

const checks = createChecks((line) => void process.stdout.write(`${line}\n`));
/** The stack that must be stopped if a signal ends the run. */
let open: Stack | null = null;

async function onStack(options: StackOptions, work: (stack: Stack) => Promise<string>): Promise<string> {
  const stack = await startBreakableStack(options);
  open = stack;
  try {
    return await work(stack);
  } finally {
    if (flags.logs) cpSync(stack.folder, flags.logs, { recursive: true });
    open = null;
    await stack.stop();
  }
}

/** Each runs on a stack of its own, and returns a table. */
const parts: Record<string, () => Promise<string>> = {
  revocation: () => onStack({ replicas: three }, (stack) => measureRevocations(stack, checks)),
  rolling: () =>
    onStack({ replicas: twoOfEach, drainSeconds: 3, isBreakable: false }, (stack) =>
      restartInTurn(stack, checks),
    ),
  kills: () => onStack({ replicas: { ...three, 'key-derivation': 1 } }, (stack) => killInTurn(stack, checks)),
  faults: () => onStack({ replicas: three }, (stack) => runFaults(stack, checks, flags.only)),
  databases: () =>
    onStack({ replicas: { ...three, 'key-derivation': 2 } }, (stack) =>
      tryDatabases(stack, checks, flags.only),
    ),
  herd: () => {
    const moreEnv = { gateway: { NODE_OPTIONS: `--max-old-space-size=${gatewayHeapMiB}` } };
    return onStack({ replicas: three, moreEnv, isBreakable: false }, (stack) =>
      silenceReplicas(stack, checks),
    );
  },
};

async function main(): Promise<void> {
  for (const part of flags.part.split(',')) {
    const run = parts[part];
    if (!run) throw new Error(`The part ${part} does not exist.\n${usage}`);
    const startedAtMs = performance.now();
    await checks.run(`--- ${part}`, async () => {
      const table = await run();
      checks.say(`\n${table}`);
      // A table of some of the faults would take the place of the whole one.
      if (flags.write && flags.only === '') writeFinding(part, table, 'npm test', ['faults', '--write']);
    });
    checks.say(`${part} took ${((performance.now() - startedAtMs) / 1_000).toFixed(0)} s`);
  }
  checks.say(`\n${checks.summary()}`);
  process.exitCode = checks.ok() ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await open?.stop();
    process.exit(130);
  });
}
await main();
// Exits at once: Node can hang while it closes sockets of killed processes.
process.exit();

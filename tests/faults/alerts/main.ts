// `npm run test:ops`: breaks the parts of real stacks under load, and checks which alerts a real Prometheus raises.
import { writeFinding } from '@latchkey/support/measured/finding';
import { provideTool } from '@latchkey/support/provide-tool';
import { readFlags } from '@latchkey/support/read-flags';
import { createChecks } from '../checks.ts';
import type { Fault } from '../faults/fault.ts';
import { faults } from '../faults/fault-list.ts';
import { clientFaults } from './client-faults.ts';
import { type Lane, startLane } from './lane.ts';
import { singleNodeFaults, startSingleNodes } from './single-nodes.ts';
import { tabulate } from './tabulate-alerts.ts';
import { tryFault } from './try-fault.ts';
import type { Raised } from './watch-alerts.ts';

const usage = `npm run test:ops: whether the right alerts fire and end while real servers are broken

Starts separate services with Postgres, Redis and NATS of this machine, viewers, and a Prometheus (installed with apt-get on Debian as
root, else skipped) with the rules of ops/prometheus. Their windows and holds are shortened to seconds. Then it breaks one part after
the other. Some seven minutes. As root on Linux: one part mounts a small disk in memory.

  npm run test:ops
  npm run test:ops -- --only Redis     faults whose name contains this, or one of several after commas
  npm run test:ops -- --write          puts the table into docs/slo.md, if all faults were tried and nothing failed
  npm run test:ops -- --lanes 2        so many stacks at a time; 2 by default. Each needs two cores and 2 GiB of memory

Ends with: N passed, N failed. Exits 0 if nothing failed.
`;

const { values: flags } = readFlags(usage, {
  options: {
    only: { type: 'string', default: '' },
    lanes: { type: 'string', default: '2' },
    write: { type: 'boolean', default: false },
  },
});

const say = (line: string) => void process.stdout.write(`${line}\n`);
const checks = createChecks(say);
const open = new Set<{ stop(): Promise<void> }>();
const isChosen = (name: string) => flags.only.split(',').some((part) => name.includes(part));

/** Each lane takes the next fault, so a slow one delays only its own. */
async function runLane(program: string, waiting: Fault[], raised: Map<string, Raised>): Promise<void> {
  const lane = await startLane(program);
  open.add(lane);
  try {
    for (let fault = waiting.shift(); fault; fault = waiting.shift()) {
      const tried = fault;
      await checks.run(tried.name, async () => void raised.set(tried.name, await tryIn(lane, tried)));
    }
  } finally {
    open.delete(lane);
    await lane.stop();
  }
}

function tryIn({ stack, prometheus, viewers }: Lane, { name, seconds, begin, end }: Fault): Promise<Raised> {
  const waitWhole = async () => {
    await stack.waitWhole();
    await viewers.becomeKnown();
  };
  return tryFault(
    { name, seconds, begin: () => begin(stack), end: () => end(stack), waitWhole },
    prometheus,
    checks,
  );
}

/** What cannot be broken in the lanes: their rows are not on a disk of their own, and their stores have no certificates. */
async function runSingleNodes(program: string, raised: Map<string, Raised>): Promise<void> {
  const nodes = await startSingleNodes(program);
  open.add(nodes);
  try {
    for (const fault of nodes.faults.filter(({ name }) => isChosen(name)))
      await checks.run(
        fault.name,
        async () => void raised.set(fault.name, await tryFault(fault, nodes.prometheus, checks)),
      );
  } finally {
    open.delete(nodes);
    await nodes.stop();
  }
}

async function main(): Promise<void> {
  const program = provideTool('prometheus');
  if (!program) {
    say('skipped: all faults, because there is no Prometheus\n0 passed, 0 failed, 1 skipped');
    process.exitCode = 1;
    return;
  }
  const chosen = [...faults, ...clientFaults].filter(({ name }) => isChosen(name));
  const ofNodes = singleNodeFaults.filter(isChosen);
  const names = [...chosen.map(({ name }) => name), ...ofNodes];
  const waiting = [...chosen];
  const raised = new Map<string, Raised>();
  const lanes = Math.min(Number(flags.lanes), chosen.length);
  const ended = await Promise.allSettled(
    Array.from({ length: lanes }, () => runLane(program, waiting, raised)),
  );
  for (const lane of ended)
    if (lane.status === 'rejected') checks.check('a stack starts and stays', false, String(lane.reason));
  if (ofNodes.length > 0) await checks.run('single nodes', () => runSingleNodes(program, raised));
  checks.check('every fault was tried', raised.size === names.length);
  const table = tabulate(names, raised);
  say(`\n${table}`);
  if (flags.write && flags.only === '' && checks.ok())
    writeFinding('alerts', table, 'test:ops', process.argv.slice(2));
  say(`\n${checks.summary()}`);
  process.exitCode = checks.ok() ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await Promise.all([...open].map((lane) => lane.stop()));
    process.exit(130);
  });
}
await main();
// Exits at once: Node can hang while it closes sockets of killed processes.
process.exit();

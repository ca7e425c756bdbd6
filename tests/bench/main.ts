import { writeFinding } from '@latchkey/support/measured/finding';
import { readFlags } from '@latchkey/support/read-flags';
import { createCleanup } from './cleanup.ts';
import { startForwardingSubjects } from './keys/forwarding-subjects.ts';
import { connections, type KeySubject, measureKeys } from './keys/measure-keys.ts';
import { reportKeys } from './keys/report-keys.ts';
import { startSingleSubjects } from './keys/single-subjects.ts';
import { measureLeases } from './leases/measure-leases.ts';
import { reportLeases } from './leases/report-leases.ts';
import { measureMemory } from './memory/measure-memory.ts';
import { reportMemory } from './memory/report-memory.ts';
import { settleOnCores } from './proc/cores.ts';
import { describeMachine } from './proc/process-usage.ts';
import { databases, measureRevocation } from './revocation/measure-revocation.ts';
import { reportRevocation } from './revocation/report-revocation.ts';
import type { Run } from './run.ts';
import { measureStart } from './start/measure-start.ts';
import { reportStart } from './start/report-start.ts';

const usage = `Measures speed, memory and delay on real servers of this machine (Linux). Run nothing else meanwhile.

  npm run bench                      all of it, in some 40 minutes on two cores
  npm run bench -- keys memory       some of it:

  keys         a key request, compared with bare servers, Express with jsonwebtoken, and nginx with njs
  gateway      the gateway, compared with a bare forwarder, and the edge process
  leases       creations, renewals and releases, compared with pgbench with the same rows
  revocation   what others see while a content with a million leases is revoked, and what goes to the disk (25 minutes)
  memory       of each process, at rest and with 5,000 viewers
  start        how soon \`npm start\` is ready, and its memory

  --rounds <number>    how often servers take turns. Default: 5, leases 3
  --seconds <number>   of each measurement. Default: keys and gateway 3, leases 4, revocation 45, memory 8
  --write              puts each table into its document

All but keys and start need the programs of Postgres, such as initdb and pgbench. The exit code is 1 if a part could not be measured.
`;

interface BenchSubject {
  /** The name of its place in a document. */
  part: string;
  rounds: number;
  seconds: number;
  /** @returns Markdown */
  measure(run: Run): Promise<string>;
}

const subjects: Readonly<Record<string, BenchSubject>> = {
  keys: {
    part: 'servers',
    rounds: 5,
    seconds: 3,
    measure: (run) => compareServers(run, startSingleSubjects),
  },
  gateway: {
    part: 'gateway',
    rounds: 5,
    seconds: 3,
    measure: (run) => compareServers(run, startForwardingSubjects),
  },
  leases: {
    part: 'lease-acts',
    rounds: 3,
    seconds: 4,
    measure: async (run) => reportLeases(await measureLeases(run)),
  },
  revocation: { part: 'large-revocation', rounds: 1, seconds: 45, measure: revokeMillion },
  memory: {
    part: 'memory',
    rounds: 1,
    seconds: 8,
    measure: async (run) => reportMemory(await measureMemory(run)),
  },
  start: {
    part: 'start',
    rounds: 5,
    seconds: 0,
    measure: async (run) => reportStart(await measureStart(run)),
  },
};

const { values: flags, positionals } = readFlags(usage, {
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});

async function compareServers(run: Run, startSubjects: (run: Run) => Promise<KeySubject[]>): Promise<string> {
  const plan = await settleOnCores(run);
  const samples = await measureKeys(await startSubjects(run), plan, run);
  const cores = plan ? 'one core for the measured server' : 'server and load on the same cores';
  const how = `${run.rounds} rounds of ${run.seconds} s, ${connections} connections, ${cores}`;
  return `${how}\n\n${reportKeys(samples)}`;
}

async function revokeMillion(run: Run): Promise<string> {
  const leases = 1_000_000;
  const samples = [];
  for (const database of databases) {
    // Otherwise the first server would go on writing rows while the second one is measured.
    const cleanup = createCleanup();
    try {
      samples.push(await measureRevocation(database, leases, { ...run, cleanup }));
    } finally {
      await cleanup.run();
    }
  }
  return reportRevocation(samples, leases);
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

/** @returns undefined without the option */
function readNumber(name: 'rounds' | 'seconds'): number | undefined {
  const text = flags[name];
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,3}$/.test(text)) fail(`--${name} takes a whole number from 1 to 9999, not ${text}.`);
  return Number(text);
}

async function main(): Promise<void> {
  const chosen = positionals.length > 0 ? positionals : Object.keys(subjects);
  for (const name of chosen)
    if (!subjects[name]) fail(`${name} cannot be measured. Accepted: ${Object.keys(subjects).join(', ')}.`);
  if (process.platform !== 'linux') fail('CPU time and memory are read from /proc, so this needs Linux.');
  const [rounds, seconds] = [readNumber('rounds'), readNumber('seconds')];
  const options = process.argv.slice(2).filter((word) => !subjects[word]);
  const missed: string[] = [];
  const startedAtMs = performance.now();
  for (const name of chosen) {
    const subject = subjects[name] as BenchSubject;
    const cleanup = createCleanup();
    const say = (line: string) =>
      console.error(`${((performance.now() - startedAtMs) / 60_000).toFixed(1)} min, ${name}: ${line}`);
    const misses = (part: string) => void missed.push(`${name}: ${part}`);
    try {
      const run = {
        rounds: rounds ?? subject.rounds,
        seconds: seconds ?? subject.seconds,
        cleanup,
        say,
        misses,
      };
      const found = `${describeMachine()}\n\n${await subject.measure(run)}`;
      console.log(`\n## ${name}\n\n${found}\n`);
      if (flags.write) writeFinding(subject.part, found, 'npm run bench', [name, ...options]);
    } catch (error) {
      misses((error as Error).message);
    } finally {
      await cleanup.run();
    }
  }
  for (const part of missed) console.error(`Not measured: ${part}`);
  if (missed.length > 0) process.exitCode = 1;
}

await main();

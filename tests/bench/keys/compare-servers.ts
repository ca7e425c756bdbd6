import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '@latchkey/support/repository';
import { type Cleanup, createCleanup } from '../cleanup.ts';
import { describeMachine } from '../proc/process-usage.ts';
import { startCustodiedSubjects } from './custodied-subjects.ts';
import { drawKeys } from './draw-keys.ts';
import { startForwardingSubjects } from './forwarding-subjects.ts';
import type { KeySubject } from './key-subject.ts';
import { type KeyMeasureOptions, measureKeys, settleOnCores } from './measure-keys.ts';
import { reportKeys, summarize } from './report-keys.ts';
import { startSingleSubjects } from './single-subjects.ts';
import { startTracedSubjects } from './traced-subjects.ts';

/**
 * `servers`: one process each. `gateway`: those that forward. `traces`: with more and fewer requests traced. `custody`: with the master
 * key here and elsewhere.
 */
type Part = 'servers' | 'gateway' | 'traces' | 'custody';

export interface CompareOptions extends KeyMeasureOptions {
  part: Part;
  /** A part of the name of what is measured, beside bare Fastify. Empty: all. */
  only: string;
  /** Whether the figures go into the documents. */
  writes: boolean;
  show: (part: string, found: string) => void;
}

/** Runs that are not written into documents. Git ignores the folder. */
const runsFolder = '.cache/bench';
/** Beside the document that shows the table. */
const writtenFolder = 'tests/bench/figures';

/** Compares servers by what a key request costs them; leaves the table, all samples as JSON, and a plot. */
export async function compareServers(options: CompareOptions): Promise<void> {
  const { part, only, writes, say, show } = options;
  const cleanup = createCleanup();
  const machine = describeMachine();
  try {
    const plan = await settleOnCores(cleanup, say);
    const all = await startSubjects(part, cleanup, say);
    const subjects = all.filter(({ name }) => name.includes(only) || name === 'bare Fastify');
    const samples = await measureKeys(subjects, plan, cleanup, options);
    const rows = summarize(samples);
    const { rounds, seconds, connections } = options;
    const how = `${rounds} rounds of ${seconds} s, ${connections} connections, ${plan ? 'one core for the measured server' : 'server and load on the same cores'}`;
    const folder = join(repositoryFolder, writes ? writtenFolder : runsFolder);
    mkdirSync(folder, { recursive: true });
    const at = new Date().toISOString();
    const run = { machine, at, rounds, seconds, connections, cores: plan, rows, samples };
    writeFileSync(join(folder, `${part}.json`), `${JSON.stringify(run, null, 2)}\n`);
    writeFileSync(join(folder, `${part}.svg`), drawKeys(rows, `${machine}; ${how}`));
    show(part, `${machine}; ${how}\n\n${reportKeys(rows)}`);
    say(`All samples and a plot: ${join(folder, part)}.json and .svg`);
  } finally {
    await cleanup.run();
  }
}

function startSubjects(part: Part, cleanup: Cleanup, say: (line: string) => void): Promise<KeySubject[]> {
  if (part === 'gateway') return startForwardingSubjects(cleanup);
  if (part === 'traces') return startTracedSubjects(cleanup);
  if (part === 'custody') return startCustodiedSubjects(cleanup);
  return startSingleSubjects(cleanup, say);
}

import { writeFinding } from '@latchkey/support/measured/finding';
import { readFlags } from '@latchkey/support/read-flags';
import { measureColdReplica } from './cold-replica/measure-cold-replica.ts';
import { reportColdReplica } from './cold-replica/report-cold-replica.ts';
import { measureDashboard } from './dashboard/measure-dashboard.ts';
import { isQuick, reportDashboard } from './dashboard/report-dashboard.ts';
import { measureEncryption } from './encrypt/measure-encryption.ts';
import { reportEncryption } from './encrypt/report-encryption.ts';
import { measureCrossing, measureEventStart } from './event/measure-event.ts';
import { reportCrossings, reportEventStarts } from './event/report-event.ts';
import { compareServers } from './keys/compare-servers.ts';
import { measureLeaseActs } from './leases/measure-lease-acts.ts';
import { reportLeaseActs } from './leases/report-lease-acts.ts';
import { measureMemory } from './memory/measure-memory.ts';
import { reportMemory } from './memory/report-memory.ts';
import { describeOverload } from './overload/report-overload.ts';
import { describeMachine } from './proc/process-usage.ts';
import { measurePurge } from './purge/measure-purge.ts';
import { reportBackup, reportPurge } from './purge/report-purge.ts';
import { type DatabaseName, measureRevocation } from './revocation/measure-revocation.ts';
import { reportRevocation } from './revocation/report-revocation.ts';
import { measureRows } from './rows/measure-rows.ts';
import { reportRows } from './rows/report-rows.ts';
import { measureScale } from './scale/measure-scale.ts';
import { reportScale } from './scale/report-scale.ts';
import { parseShapes } from './scale/shape.ts';
import { measureSessions } from './sessions/measure-sessions.ts';
import { reportSessions } from './sessions/report-sessions.ts';
import { measureStart } from './start/measure-start.ts';
import { reportStart } from './start/report-start.ts';
import { usage } from './usage.ts';
import { measureViewers } from './viewers/measure-viewers.ts';
import { reportViewers } from './viewers/report-viewers.ts';
import { measureWebhooks } from './webhooks/measure-webhooks.ts';
import { reportWebhooks } from './webhooks/report-webhooks.ts';
import { compareWorkers } from './workers/compare-workers.ts';

const { values: flags } = readFlags(usage, {
  options: {
    seconds: { type: 'string' },
    rounds: { type: 'string' },
    connections: { type: 'string', default: '64' },
    distributed: { type: 'boolean', default: false },
    scale: { type: 'boolean', default: false },
    workers: { type: 'boolean', default: false },
    revocations: { type: 'string', default: '200' },
    dashboard: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    'cold-replica': { type: 'boolean', default: false },
    overload: { type: 'boolean', default: false },
    start: { type: 'boolean', default: false },
    revocation: { type: 'boolean', default: false },
    'lease-acts': { type: 'boolean', default: false },
    purge: { type: 'boolean', default: false },
    encrypt: { type: 'boolean', default: false },
    'event-start': { type: 'boolean', default: false },
    crossing: { type: 'boolean', default: false },
    sessions: { type: 'boolean', default: false },
    rows: { type: 'boolean', default: false },
    webhooks: { type: 'string' },
    traces: { type: 'boolean', default: false },
    custody: { type: 'boolean', default: false },
    mebibytes: { type: 'string', default: '512' },
    // Long enough for a million rows on a slow disk, with requests in between.
    watch: { type: 'string', default: '900' },
    database: { type: 'string', default: 'SQLite,Postgres' },
    each: { type: 'boolean', default: false },
    awake: { type: 'boolean', default: false },
    shapes: { type: 'string', default: '1x1,1x2,1x4' },
    rate: { type: 'string' },
    warm: { type: 'string', default: '20000' },
    viewers: { type: 'string' },
    memory: { type: 'string' },
    'at-once': { type: 'string', default: '100000' },
    container: { type: 'string', default: '512' },
    beside: { type: 'string' },
    leases: { type: 'string', default: '1000000' },
    profile: { type: 'string', default: 'single,distributed' },
    replicas: { type: 'string', default: '3' },
    boots: { type: 'string', default: '3' },
    write: { type: 'boolean', default: false },
  },
});

/** Key requests a second of --scale and --viewers. */
const steadyRate = 2_000;

const say = (line: string) => console.error(line);

/** Prints the figures, and with --write puts them into their documents. */
function show(part: string, found: string): void {
  console.log(found);
  if (flags.write) writeFinding(part, found, 'npm run bench', process.argv.slice(2));
}

async function main(): Promise<void> {
  if (flags.scale) return compareShapes();
  if (flags.workers) return compareWithWorkers();
  if (flags.dashboard) return timeDashboard();
  if (flags.overload) return console.log(await describeOverload({ ...flags, say }));
  if (flags.start) return timeStarts();
  if (flags.memory !== undefined) return followMemory(Number(flags.memory));
  if (flags.revocation) return revokeLargeContent();
  if (flags['lease-acts']) return writeLeases();
  if (flags.purge) return purgeLeases();
  if (flags.encrypt) return encryptFiles();
  if (flags['cold-replica']) return compareColdReplicas();
  if (flags['event-start'] || flags.crossing) return joinEvent();
  if (flags.sessions) return reloadPlaylists();
  if (flags.rows) return weighRows();
  if (flags.webhooks !== undefined) return sendEvents(Number(flags.webhooks));
  if (flags.viewers !== undefined) return compareViewers(Number(flags.viewers));
  await compareServers({
    part: flags.distributed ? 'gateway' : flags.traces ? 'traces' : flags.custody ? 'custody' : 'servers',
    connections: Number(flags.connections),
    seconds: Number(flags.seconds ?? 3),
    rounds: Number(flags.rounds ?? 5),
    only: flags.only,
    writes: flags.write,
    say,
    show,
  });
}

async function compareShapes(): Promise<void> {
  const shapes = parseShapes(flags.shapes);
  const samples = await measureScale({
    shapes,
    rounds: Number(flags.rounds ?? 4),
    seconds: Number(flags.seconds ?? 8),
    ratePerSecond: Number(flags.rate ?? steadyRate),
    rateIsForEachReplica: flags.each,
    keepsAwake: flags.awake,
    viewers: Number(flags.connections),
    warmRequests: Number(flags.warm),
    say,
  });
  const rate = `${flags.rate ?? steadyRate} key requests a second${flags.each ? ' for each replica' : ' in all'}${flags.awake ? ', cores kept awake' : ''}`;
  const found = `${describeMachine()}; ${rate}\n\n${reportScale(samples, shapes)}`;
  show(flags.each ? 'scale-each' : 'scale', found);
}

async function weighRows(): Promise<void> {
  const sizes = [];
  for (const database of ['SQLite', 'Postgres'] as const)
    sizes.push(await measureRows(database, Number(flags.leases), say));
  show('rows', reportRows(sizes));
}

async function sendEvents(webhooks: number): Promise<void> {
  const options = { webhooks, seconds: Number(flags.seconds ?? 70), say };
  const samples = [];
  for (const database of databasesOf(flags.database))
    samples.push(...(await measureWebhooks(database, options)));
  show('webhooks', `${describeMachine()}\n\n${reportWebhooks(samples)}`);
}

async function compareWithWorkers(): Promise<void> {
  const found = await compareWorkers({
    rounds: Number(flags.rounds ?? 5),
    seconds: Number(flags.seconds ?? 3),
    connections: [64, 256],
    revocations: Number(flags.revocations),
    say,
  });
  show('workers', found);
}

async function compareViewers(viewers: number): Promise<void> {
  for (const profile of chosenProfiles()) {
    const result = await measureViewers(profile, {
      viewers,
      beside: Number(flags.beside ?? 1_000),
      leases: Number(flags.leases),
      ratePerSecond: Number(flags.rate ?? steadyRate),
      seconds: Number(flags.seconds ?? 15),
      rounds: Number(flags.rounds ?? 2),
      replicas: Number(flags.replicas),
      boots: Number(flags.boots),
      say,
    });
    show(`viewers-${profile}`, `${describeMachine()}; ${profile}\n\n${reportViewers(result)}`);
  }
}

function chosenProfiles(): ('single' | 'distributed')[] {
  return flags.profile.split(',').map((name) => {
    if (name === 'single' || name === 'distributed') return name;
    throw new Error(`The profile ${name} does not exist. --profile takes single and distributed.`);
  });
}

async function joinEvent(): Promise<void> {
  const viewers = Number(flags.viewers ?? 10_000);
  const options = { viewers, overSeconds: Number(flags.seconds ?? 10), say };
  const head = `${describeMachine()}; ${viewers.toLocaleString('en')} viewers`;
  if (flags.crossing) {
    const crossings = [];
    for (const profile of chosenProfiles()) crossings.push(...(await measureCrossing(profile, options)));
    return show('crossing', `${head}\n\n${reportCrossings(crossings)}`);
  }
  const starts = [];
  for (const profile of chosenProfiles()) starts.push(await measureEventStart(profile, options));
  show('event-start', `${head}\n\n${reportEventStarts(starts)}`);
}

async function reloadPlaylists(): Promise<void> {
  const counts = [Number(flags.beside ?? 50), Number(flags.viewers ?? 5_000)];
  const samples = [];
  for (const profile of chosenProfiles())
    samples.push(...(await measureSessions(profile, { counts, seconds: Number(flags.seconds ?? 12), say })));
  show('sessions', `${describeMachine()}\n\n${reportSessions(samples)}`);
}

async function followMemory(viewers: number): Promise<void> {
  const plan = { viewers, atOnce: Number(flags['at-once']), containerMib: Number(flags.container) };
  const samples = await measureMemory(plan, say);
  show('memory', `${describeMachine()}\n\n${reportMemory(plan, samples)}`);
}

async function compareColdReplicas(): Promise<void> {
  const viewers = Number(flags.viewers ?? 1_000);
  const ratePerSecond = Number(flags.rate ?? 100);
  const found = await measureColdReplica({ viewers, ratePerSecond, rounds: Number(flags.rounds ?? 3), say });
  const what = `${viewers.toLocaleString('en')} viewers, ${ratePerSecond.toLocaleString('en')} key requests a second`;
  show('cold-replica', `${describeMachine()}; ${what}\n\n${reportColdReplica(found)}`);
}

async function revokeLargeContent(): Promise<void> {
  const leases = Number(flags.leases);
  const samples = [];
  for (const database of databasesOf(flags.database)) {
    const seconds = Number(flags.seconds ?? 15);
    samples.push(
      await measureRevocation(database, { leases, seconds, watchSeconds: Number(flags.watch), say }),
    );
  }
  show('large-revocation', `${describeMachine()}\n\n${reportRevocation(samples, leases)}`);
}

/** `--database` */
function databasesOf(names: string): DatabaseName[] {
  return names.split(',').map((name) => {
    if (name === 'SQLite' || name === 'Postgres') return name;
    throw new Error(`${name} is not supported. --database takes SQLite and Postgres.`);
  });
}

/** `LISTS_DATABASE` */
function kindOfKept(kept: string): DatabaseName {
  return kept.startsWith('postgres') ? 'Postgres' : 'SQLite';
}

async function timeStarts(): Promise<void> {
  const samples = await measureStart(Number(flags.rounds ?? 5), say);
  show('start', `${describeMachine()}\n\n${reportStart(samples)}`);
}

async function writeLeases(): Promise<void> {
  const samples = await measureLeaseActs({
    connections: Number(flags.connections),
    seconds: Number(flags.seconds ?? 5),
    rounds: Number(flags.rounds ?? 3),
    only: flags.only,
    say,
  });
  show('lease-acts', `${describeMachine()}\n\n${reportLeaseActs(samples)}`);
}

async function purgeLeases(): Promise<void> {
  const samples = [];
  for (const name of ['SQLite', 'Postgres'] as const)
    samples.push(await measurePurge(name, Number(flags.leases), say));
  show('purge', `${describeMachine()}\n\n${reportPurge(samples)}`);
  show('backup', `${describeMachine()}\n\n${reportBackup(samples)}`);
}

async function encryptFiles(): Promise<void> {
  const rounds = Number(flags.rounds ?? 3);
  const samples = await measureEncryption({ rounds, mebibytes: Number(flags.mebibytes), say });
  console.log(`${describeMachine()}\n\n${reportEncryption(samples)}`);
}

async function timeDashboard(): Promise<void> {
  const { LISTS_DATABASE: kept } = process.env;
  const rounds = Number(flags.rounds ?? 5);
  console.log(describeMachine());
  for (const database of kept ? [kindOfKept(kept)] : databasesOf(flags.database)) {
    const samples = await measureDashboard({ rounds, only: flags.only, database, kept, say });
    console.log(`\n${reportDashboard(database, samples)}`);
    if (!samples.every(isQuick)) process.exitCode = 1;
  }
}

await main();

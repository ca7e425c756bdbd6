import { writeFinding } from '@latchkey/rig/measured/finding';
import { readFlags } from '@latchkey/rig/read-flags';
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
import { type DatabaseName, measureRevocation } from './revocation/measure-revocation.ts';
import { reportRevocation } from './revocation/report-revocation.ts';
import { measureScale } from './scale/measure-scale.ts';
import { reportScale } from './scale/report-scale.ts';
import { parseShapes } from './scale/shape.ts';
import { measureStart } from './start/measure-start.ts';
import { reportStart } from './start/report-start.ts';
import { measureViewers } from './viewers/measure-viewers.ts';
import { reportViewers } from './viewers/report-viewers.ts';
import { compareWorkers } from './workers/compare-workers.ts';

const usage = `CPU time, rate and latency of key requests, beside bare servers and other ways to build a key server, in one run. The measured server has
a core to itself, and the load has the others (taskset, util-linux). The servers take turns.

  npm run bench                      5 rounds of 3 s for each server
  npm run bench -- --seconds 2 --rounds 7 --connections 64 --only Latchkey (beside bare Fastify)
  npm run bench -- --distributed     the gateway before its services, beside a bare forwarder before a bare server;
                                     this one needs Postgres installed

Servers at 1/2, 1, 1.5 and 3 times what they can serve, with OVERLOAD_DELAY_MS at off and at 10: who is served and who is refused, how
fast, and how soon it is back. Takes under 4 minutes (Linux; Postgres installed).

  npm run bench -- --overload        --seconds 1 (that count of each rate) --connections 64 (of the closed loop that finds what it can serve) --only new

CPU time per key request at a fixed rate, as gateways and replicas of key-derivation are added (Linux).

  npm run bench -- --scale           --shapes 1x1,1x2,1x4 (gateways x replicas) --rounds 4 --seconds 8 --rate 2000
                                     --warm 20000 (requests that each process gets first) --connections 64
  npm run bench -- --scale --each    --rate is for each replica, instead of for all together
  npm run bench -- --scale --awake   keeps cores from sleeping: waking one counts as CPU time of the woken process

One process of the single node, and one with a worker for each core that shares the cores with its load; leases revoked under load (Linux).

  npm run bench -- --workers         --rounds 5 --seconds 3 --revocations 200

Many viewers at once, each with its own connection, token and lease, beside a million leases (Linux).

  npm run bench -- --viewers 10000   --leases 1000000 --profile single,distributed --rate 2000 --seconds 15 --rounds 2
                                     --beside 1000 (viewers to compare with) --replicas 3 --boots 3

An event: viewers join a server that has just started within 10 s, each with a lease and a key; then all of them cross key periods (Linux).

  npm run bench -- --event-start     --viewers 10000 --seconds 10 --profile single,distributed
  npm run bench -- --crossing        the same

How soon the dashboard reacts to a keystroke or a click in Chromium, beside 100,000 API keys, 100,000 contents and a million
leases in SQLite. Ends with 1 if anything takes more than 300 ms.

  npm run bench -- --dashboard       --rounds 5 --only Leases (a part of the name of what is measured)

What others see while a content with a million leases is revoked, in one process on SQLite and on Postgres (installed).

  npm run bench -- --revocation      --leases 1000000 --seconds 15 --database SQLite,Postgres
                                     --watch 900 (seconds to wait for the last row at most)

Creations, renewals and releases of leases on SQLite, and creations by a separate lease service on Postgres, which waits for the disk,
beside pgbench (installed) with the same rows (Linux).

  npm run bench -- --lease-acts      --seconds 5 --rounds 3 --connections 64 --only Postgres

CPU time and memory of latchkey encrypt, beside openssl enc (installed) on the same files (Linux).

  npm run bench -- --encrypt         --rounds 3 --mebibytes 512

Memory of one replica of key-derivation while viewers come and go, in a container of 512 MiB (Linux, root for the container).

  npm run bench -- --memory 1000000  --at-once 100000 (viewers who play at a time) --container 512 (MiB; 0: none)

What Redis is worth: first keys from a new replica of key-derivation that reads lease states from Redis, and from one that asks
the lease service (Linux).

  npm run bench -- --cold-replica    --viewers 1000 --rate 100 --rounds 3

How soon and in how much memory \`npm start\` is ready, with and without compiled code from an earlier start (Linux).

  npm run bench -- --start           --rounds 5

--write puts the figures into their documents. Those of the dashboard, of encryption and of an overload are only printed.
--scale, --viewers, --event-start, --crossing and --cold-replica take Postgres, Redis and NATS from TEST_POSTGRES_URL, TEST_REDIS_URL and TEST_NATS_URL, from Docker, or from this machine.
`;

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
    encrypt: { type: 'boolean', default: false },
    'event-start': { type: 'boolean', default: false },
    crossing: { type: 'boolean', default: false },
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
    beside: { type: 'string', default: '1000' },
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
  if (flags.write) writeFinding(part, found, 'bench', process.argv.slice(2));
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
  if (flags.encrypt) return encryptFiles();
  if (flags['cold-replica']) return compareColdReplicas();
  if (flags['event-start'] || flags.crossing) return joinEvent();
  if (flags.viewers !== undefined) return compareViewers(Number(flags.viewers));
  await compareServers({
    part: flags.distributed ? 'gateway' : 'servers',
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
      beside: Number(flags.beside),
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
  for (const name of flags.database.split(',')) {
    if (name !== 'SQLite' && name !== 'Postgres')
      throw new Error(`${name} is not supported. --database takes SQLite and Postgres.`);
    const database: DatabaseName = name;
    const seconds = Number(flags.seconds ?? 15);
    samples.push(
      await measureRevocation(database, { leases, seconds, watchSeconds: Number(flags.watch), say }),
    );
  }
  show('large-revocation', `${describeMachine()}\n\n${reportRevocation(samples, leases)}`);
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

async function encryptFiles(): Promise<void> {
  const rounds = Number(flags.rounds ?? 3);
  const samples = await measureEncryption({ rounds, mebibytes: Number(flags.mebibytes), say });
  console.log(`${describeMachine()}\n\n${reportEncryption(samples)}`);
}

async function timeDashboard(): Promise<void> {
  const samples = await measureDashboard({ rounds: Number(flags.rounds ?? 5), only: flags.only, say });
  console.log(`${describeMachine()}\n\n${reportDashboard(samples)}`);
  process.exitCode = samples.every(isQuick) ? 0 : 1;
}

await main();

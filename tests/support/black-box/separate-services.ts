import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { LatchkeyProcess } from '../processes/latchkey-process.ts';
import { describeDatabaseRoles } from '../stack/database-roles.ts';
import { createDistributedProfile, makeProfileSecrets, type Replicas } from '../stack/distributed-profile.ts';
import type { Environment, OnOutput, ServerProcess } from './server-process.ts';

/** Separate services that act as one server. */
export interface SeparateServices {
  url: string;
  /** The addresses of all processes that face clients. The first one is `url`. */
  doors: string[];
  /** Its URL for the owner of the tables. */
  database: { DATABASE_URL: string };
  /** The gateway's standard output, and the standard error of all. Its signals go to every process. */
  process: ServerProcess;
  /** Drops the database, after the processes have ended. */
  remove(): Promise<void>;
}

/** One of each, because a file starts up to five such servers. Runs against a given server have three replicas. */
const replicas: Replicas = {
  auth: 1,
  content: 1,
  leases: 1,
  'key-derivation': 1,
  playback: 1,
  gateway: 1,
};
/** What faces the clients: a gateway before key-derivation, or edge processes in place of both. */
export interface FrontDoors {
  kind: 'gateway' | 'edge';
  /** The settings of each process. Only the first one is awaited. */
  settings: readonly Environment[];
}

const oneGateway: FrontDoors = { kind: 'gateway', settings: [{}] };
/** Variables that only the single node gets. */
const singleNodeOnly = ['PORT', 'HOST', 'METRICS_PORT', 'SQLITE_PATH'];

/**
 * Starts separate services with these settings on a new database of the given Postgres, whose role may create databases. They
 * have neither Redis nor NATS: two such servers would receive each other's changes, and tests would not notice a feature that
 * only works with a push.
 */
export async function startSeparateServices(
  env: Environment,
  postgres: string,
  { kind, settings: doorSettings }: FrontDoors = oneGateway,
  onOutput?: OnOutput,
): Promise<SeparateServices> {
  const name = `latchkey_test_${randomBytes(6).toString('hex')}`;
  await withAdmin(postgres, (admin) => admin.query(`create database ${name} template template0`));
  const database = new URL(postgres);
  database.pathname = `/${name}`;
  const settings = Object.fromEntries(
    Object.entries(env).filter(([variable]) => !singleNodeOnly.includes(variable)),
  );
  const output = { stdout: '', stderr: '' };
  const roles = describeDatabaseRoles(database.toString(), name);
  const { all, processes } = await createDistributedProfile({
    stores: { postgres: database.toString() },
    roles,
    secrets: makeProfileSecrets(),
    replicas: {
      ...replicas,
      ...(kind === 'edge' ? { 'key-derivation': 0, gateway: 0 } : {}),
      [kind]: doorSettings.length,
    },
    settings: { LOG_LEVEL: 'info', ...settings },
    settingsOf: Object.fromEntries(doorSettings.map((own, index) => [`${kind}-${index + 1}`, own])),
    outputOf: (from) => (_name, stream, text) => {
      if (stream !== 'stderr' && !from.startsWith(kind)) return;
      output[stream] += text;
      onOutput?.(stream, text);
    },
  });
  const doors = processes[kind];
  const [first] = doors;
  if (!first) throw new Error(`the profile has no ${kind}`);
  const behind = all.filter((process) => !doors.includes(process));
  try {
    await startInOrder(behind, doors, () => roles.migrate());
  } catch (error) {
    await Promise.all(all.map((process) => process.end('SIGKILL')));
    throw new Error(`${(error as Error).message}\n${output.stderr}`);
  }

  let ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }> | null = null;
  const end = (signal: NodeJS.Signals) => endInOrder(doors, behind, signal);
  /** At SIGHUP they read their files again, and go on. */
  const kill = (signal: NodeJS.Signals) => {
    if (signal === 'SIGHUP') for (const process of all) process.signal(signal);
    else ended ??= end(signal);
  };
  return {
    url: first.url,
    doors: doors.map((door) => door.url),
    database: { DATABASE_URL: database.toString() },
    process: {
      pid: 0,
      stdout: () => output.stdout,
      stderr: () => output.stderr,
      listens: async () => first.url,
      kill,
      ended: async () => ended ?? { code: null, signal: null },
    },
    remove: () =>
      withAdmin(postgres, async (admin) => {
        await admin.query(`drop database if exists ${name} with (force)`);
        for (const statement of roles.removal) await admin.query(statement);
      }),
  };
}

/** The doors start last: they would count services that do not answer yet as unresponsive. */
async function startInOrder(
  behind: readonly LatchkeyProcess[],
  doors: readonly LatchkeyProcess[],
  migrate: () => Promise<void>,
): Promise<void> {
  for (const process of behind) process.start();
  // The services start meanwhile and wait for the schema.
  await migrate();
  await Promise.all(behind.map((process) => process.waitReady()));
  const [first, ...others] = doors;
  first?.start();
  await first?.waitReady();
  // The first process that derives keys tells the database which master key it has.
  for (const door of others) door.start();
}

/** The doors end first, so that no request under way fails. */
async function endInOrder(
  doors: readonly LatchkeyProcess[],
  behind: readonly LatchkeyProcess[],
  signal: NodeJS.Signals,
): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  const codes = [
    ...(await Promise.all(doors.map((door) => door.end(signal)))),
    ...(await Promise.all(behind.map((process) => process.end(signal)))),
  ];
  const code = codes.find((each) => each !== 0);
  return code === undefined ? { code: 0, signal: null } : { code, signal: code === null ? signal : null };
}

async function withAdmin(url: string, work: (admin: pg.Client) => Promise<unknown>): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

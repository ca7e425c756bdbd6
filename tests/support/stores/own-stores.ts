import { execFile, spawnSync } from 'node:child_process';
import { accessSync, constants, readdirSync, statfsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '../find-free-port.ts';
import { makeServerFolder, type ServerProgram, startServerProgram } from './server-program.ts';

export type StoreName = 'Postgres' | 'Redis' | 'NATS';

/** Where Debian keeps the programs behind its wrappers. */
const postgresFolders = '/usr/lib/postgresql';
/** The folder of a cluster, within the folder of its server. */
export const postgresData = 'data';

/** Port and folder of an earlier server, to restart it there with its data. */
export interface Place {
  port: number;
  folder: string;
}

/** The path of a program, in PATH or where Debian keeps Postgres; undefined if it is not installed. */
export function findProgram(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).concat('/usr/sbin', postgresBins());
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

/** The program of each store, and its Debian package. */
export const ownStores = {
  Postgres: { program: 'initdb', debianPackage: 'postgresql', start: startOwnPostgres },
  Redis: { program: 'redis-server', debianPackage: 'redis-server', start: startOwnRedis },
  NATS: { program: 'nats-server', debianPackage: 'nats-server', start: startOwnNats },
} as const;

/** @throws Error if it is not installed or does not start */
export async function startOwnRedis(place?: Place): Promise<ServerProgram> {
  const { port, folder } = place ?? (await newPlace());
  const args = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'no',
  ];
  return startServerProgram({
    program: programOf('Redis'),
    args,
    port,
    folder,
    url: `redis://127.0.0.1:${port}`,
    readyLine: /Ready to accept connections/,
    endSignal: 'KILL',
    removesFolder: !place,
  });
}

/** @throws Error if it is not installed or does not start */
export async function startOwnNats(place?: Place): Promise<ServerProgram> {
  const { port, folder } = place ?? (await newPlace());
  return startServerProgram({
    program: programOf('NATS'),
    args: ['-js', '-a', '127.0.0.1', '-p', String(port), '-sd', folder],
    port,
    folder,
    url: `nats://127.0.0.1:${port}`,
    readyLine: /Server is ready/,
    endSignal: 'KILL',
    removesFolder: !place,
  });
}

/** Settings of a cluster that only tests use: a crash of the machine may leave half a page, and the cluster is then made again. */
const briefSettings = { full_page_writes: 'off' };

/**
 * A new cluster whose superuser needs no password.
 *
 * @param settings in place of the settings for tests, with which it does not sync its files (`runPostgres`)
 * @param parent of its folder. Default: the folder of temporary files
 * @throws Error if it is not installed or does not start
 */
export async function startOwnPostgres(
  settings: Readonly<Record<string, string>> = briefSettings,
  parent?: string,
): Promise<ServerProgram> {
  const initdb = programOf('Postgres');
  const uid = postgresUid();
  const port = await findFreePort();
  const folder = makeServerFolder(uid, parent);
  const data = join(folder, postgresData);
  const user = uid === undefined ? {} : { uid, gid: uid };
  const options = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  await promisify(execFile)(initdb, options, { ...user, cwd: folder });
  return runPostgres({ port, folder }, { uid, removesFolder: true, settings });
}

export interface PostgresOptions {
  /** The owner of the cluster; undefined for the user of this process. */
  uid: number | undefined;
  removesFolder: boolean;
  settings?: Readonly<Record<string, string>>;
}

/**
 * Runs a cluster that exists. It does not sync its files: what a killed process has written is still in the kernel, so only
 * a crash of the machine loses data. With syncing, tests would measure the disk.
 *
 * @throws Error if it is not installed or does not start
 */
export async function runPostgres(
  { port, folder }: Place,
  { uid, removesFolder, settings = {} }: PostgresOptions,
): Promise<ServerProgram> {
  const all = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 300,
    fsync: 'off',
    ...settings,
  };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return startServerProgram({
    program: join(programOf('Postgres'), '..', 'postgres'),
    args: ['-D', join(folder, postgresData), ...flags],
    port,
    folder,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    readyLine: /ready to accept (read-only )?connections/,
    endSignal: 'QUIT',
    uid,
    removesFolder,
  });
}

async function newPlace(): Promise<Place> {
  return { port: await findFreePort(), folder: makeServerFolder() };
}

function programOf(name: StoreName): string {
  const { program } = ownStores[name];
  const path = findProgram(program);
  if (!path) throw new Error(`${program} is not installed on this machine`);
  return path;
}

const memoryFolder = '/dev/shm';
/** Room for the databases of a test run, some hundred megabytes, with much to spare. */
const memoryFolderBytes = 4 * 1024 ** 3;
/** `TMPFS_MAGIC` of statfs(2). */
const tmpfs = 0x01021994;

/**
 * The cluster of a test run, in memory where Linux has a folder for it: each test makes and drops a database, which is 300
 * files, and takes half of the processor time there.
 */
export function startBriefPostgres(): Promise<ServerProgram> {
  // The log of changes is memory too, and one test writes little.
  const settings = { ...briefSettings, max_wal_size: '128MB' };
  return startOwnPostgres(settings, hasRoom(memoryFolder) ? memoryFolder : undefined);
}

function hasRoom(folder: string): boolean {
  try {
    const { type, bavail, bsize } = statfsSync(folder);
    return type === tmpfs && bavail * bsize >= memoryFolderBytes;
  } catch {
    return false;
  }
}

/** The user that runs Postgres, which refuses to run as root; undefined if this process is not root. */
export function postgresUid(): number | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const user of ['postgres', 'nobody']) {
    const { status, stdout } = spawnSync('id', ['-u', user], { encoding: 'utf8' });
    if (status === 0) return Number(stdout);
  }
  throw new Error('Postgres does not run as root, and there is neither a user postgres nor nobody');
}

function postgresBins(): string[] {
  try {
    // The newest first.
    const versions = readdirSync(postgresFolders).sort((a, b) => Number(b) - Number(a));
    return versions.map((version) => join(postgresFolders, version, 'bin'));
  } catch {
    return [];
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

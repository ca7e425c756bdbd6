import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, inject } from 'vitest';
import { readApiDocument } from './api-document.ts';
import { type Client, createClient } from './client.ts';
import { startContainers } from './containers.ts';
import { checkOutput } from './request-lines.ts';
import { startSeparateServices } from './separate-services.ts';
import { type Environment, makeFolder, type ServerProcess, startProcess } from './server-process.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** `BASE_URL`; null if it is not set. */
    baseUrl: string | null;
    /** `LATCHKEY_WORKERS` of a test's own single nodes; null if it is not set. */
    workers: string | null;
    /** Variables in JSON that take the place of the master key in a test's own single nodes; null if it is in their environment. */
    custody: string | null;
    /** The Postgres for a test's own servers if they run as separate services; else null. */
    separateOn: string | null;
    /** The tag of the images for a test's own servers if they run as containers; else null. */
    containersOf: string | null;
    /** The prefix of the names of their Compose projects. */
    containersNamed: string;
  }
}

const loopback = '127.0.0.1';

/** The master key and salt of the vector in `docs/contract.md#derivation`. */
export const masterKeyHex = Buffer.from(Array.from({ length: 32 }, (_, i) => i)).toString('hex');
export const saltHex = Buffer.from(Array.from({ length: 32 }, (_, i) => 32 + i)).toString('hex');

/** For `BASE_URL`, which may lead to several processes. They answer 503 while one of them is slow, for half a minute at most. */
const triesOfGiven = 30;

/** A server and its credentials. */
export interface Target {
  url: string;
  /** The bootstrap key, for `Authorization: Bearer`. */
  adminApiKey: string;
  /** The bytes of `AUTH_JWT_SECRET`. */
  jwtSecret: Buffer;
  /**
   * How long a revocation may take to reach every replica: 0 for a single process, 5 s for several. Usually it takes a second,
   * but longer if a machine stalls (`docs/contract.md#revocation`).
   */
  propagationMs: number;
  /** Checks every answer against `docs/contract.md#conventions` and the server's own OpenAPI document. */
  client: Client;
}

/** A server that this test started, on the profile that is tested. */
export interface OwnServer extends Target {
  process: ServerProcess;
  /** The address of this process as the server sees it: loopback, or the bridge before containers. */
  peer: string;
  /** The variables by which `latchkey` opens its database; null where only containers reach it. */
  database: Environment | null;
  /** Stops it, and checks that it exited with 0, wrote one well-formed line for each request, and showed no secret. */
  close(): Promise<void>;
}

/**
 * Whether a test's own servers are containers of compose.yaml. These run with `NODE_ENV=production`, get only the variables
 * that compose.yaml passes on, read no file of this machine, and see a test at the address of a bridge.
 */
export const areContainers = inject('containersOf') !== null;

/** Whether servers with settings of a test's own are single nodes, on SQLite. */
export const isSingleNode = !areContainers && inject('separateOn') === null;

/** A single node that this test started. */
export interface OwnSingleNode extends OwnServer {
  /** Its folder, with `latchkey.db` in it. */
  folder: string;
}

/** How many workers a test's own single nodes have; null for none. */
const workers = inject('workers');

/** The master key of a test's own single nodes, if another system holds it: the same key. */
const given = inject('custody');
const custody = given === null ? null : (JSON.parse(given) as Environment);

/** On a busy machine, separate services may answer 503 once or twice. */
const triesOfSeparate = 4;

export function makeApiKey(): string {
  return `lk_${randomBytes(32).toString('hex')}`;
}

/**
 * Starts a server of the test file's own on the profile that is tested, and closes it after the file's last test.
 *
 * @param env added to the variables that a server needs; undefined removes one
 */
export function startServer(env: Environment = {}): Promise<OwnServer> {
  return closeAtTheEnd(startServerToClose(env));
}

/** As `startServer`, for a test that closes the server itself: only a few servers may run as containers at a time. */
export async function startServerToClose(env: Environment = {}): Promise<OwnServer> {
  if (isSingleNode) return startSingleNodeToClose(env);
  const [postgres, images] = [inject('separateOn'), inject('containersOf')];
  const all = { ...leastSettings(), ...env };
  const started = postgres
    ? { ...(await startSeparateServices(all, postgres)), peer: loopback }
    : await startContainers(all, images ?? '', inject('containersNamed'));
  return watch({ database: null, ...started, env: all, propagationMs: 5_000, tries: triesOfSeparate });
}

/** As `startServer`, for tests of the single node itself: its process, its folder, its file. */
export function startSingleNode(env: Environment = {}): Promise<OwnSingleNode> {
  return closeAtTheEnd(startSingleNodeToClose(env));
}

/** Edge processes before separate services, for tests of the edge itself. */
export interface OwnEdges extends OwnServer {
  /** The addresses of all of them. The first one is `url`. */
  doors: string[];
}

/**
 * @param settings of each edge process. Only the first one is awaited
 * @param common of every process
 */
export function startEdges(
  postgres: string,
  settings: readonly Environment[],
  common: Environment = {},
): Promise<OwnEdges> {
  const start = async () => {
    const env = { ...leastSettings(), ...common };
    const services = await startSeparateServices(env, postgres, { kind: 'edge', settings });
    const server = await watch({
      ...services,
      peer: loopback,
      env,
      propagationMs: 5_000,
      tries: triesOfSeparate,
    });
    return { ...server, doors: services.doors };
  };
  return closeAtTheEnd(start());
}

async function closeAtTheEnd<S extends OwnServer>(starting: Promise<S>): Promise<S> {
  // Registered before the start, so that this server is closed even if the next one of the file does not start.
  afterAll(async () => {
    const server = await starting.catch(() => null);
    await server?.close();
  });
  return starting;
}

/** As `startSingleNode`, for a test that closes the server itself. */
export async function startSingleNodeToClose(env: Environment): Promise<OwnSingleNode> {
  const folder = makeFolder();
  const all = { ...leastSettings(), SQLITE_PATH: join(folder.path, 'latchkey.db'), ...env };
  const process = startProcess(folder.path, all);
  const remove = async () => folder.remove();
  // The folder must also be removed if the server does not start.
  const url = await process.listens().catch(async (error) => {
    await remove();
    throw error;
  });
  const { SQLITE_PATH, DATABASE_URL }: Environment = all;
  const server = await watch({
    url,
    process,
    peer: loopback,
    database: DATABASE_URL ? { DATABASE_URL } : { SQLITE_PATH },
    env: all,
    propagationMs: 0,
    tries: 1,
    remove,
  });
  return { ...server, folder: folder.path };
}

function leastSettings(): Environment & { ADMIN_API_KEY: string; AUTH_JWT_SECRET: string } {
  return {
    PORT: '0',
    HOST: '127.0.0.1',
    METRICS_PORT: '0',
    ...(custody ?? { MASTER_KEY_HEX: masterKeyHex, SALT_HEX: saltHex }),
    ADMIN_API_KEY: makeApiKey(),
    AUTH_JWT_SECRET: randomBytes(32).toString('hex'),
    SHUTDOWN_DRAIN_SECONDS: '0',
    ...(workers === null ? {} : { LATCHKEY_WORKERS: workers }),
  };
}

interface Started {
  url: string;
  process: ServerProcess;
  peer: string;
  database: Environment | null;
  env: Environment;
  propagationMs: number;
  tries: number;
  remove(): Promise<void>;
}

async function watch(started: Started): Promise<OwnServer> {
  const { url, process, peer, database, env, propagationMs, tries, remove } = started;
  let client: Client | null = null;
  const close = async () => {
    process.kill('SIGTERM');
    const { code, signal } = await process.ended();
    await remove();
    if (code !== 0) throw new Error(`the server ended with ${code ?? signal}:\n${process.stderr()}`);
    const { ADMIN_API_KEY = '', AUTH_JWT_SECRET = '' } = env;
    checkOutput(process, client, [masterKeyHex, saltHex, ADMIN_API_KEY, AUTH_JWT_SECRET]);
  };
  try {
    client = createClient(url, await readApiDocument(url), tries);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url,
    adminApiKey: env.ADMIN_API_KEY ?? '',
    jwtSecret: Buffer.from(env.AUTH_JWT_SECRET ?? ''),
    propagationMs,
    client,
    process,
    peer,
    database,
    close,
  };
}

/**
 * The server that `BASE_URL` names, used with `ADMIN_API_KEY` and `AUTH_JWT_SECRET`; else a server of this file's own.
 *
 * @param env only for a server of this file's own
 */
export async function openTarget(env: Environment = {}): Promise<Target> {
  const baseUrl = inject('baseUrl');
  if (!baseUrl) return startServer(env);
  const { ADMIN_API_KEY, AUTH_JWT_SECRET } = process.env;
  if (!ADMIN_API_KEY || !AUTH_JWT_SECRET)
    throw new Error('BASE_URL needs ADMIN_API_KEY and AUTH_JWT_SECRET of that server');
  const url = baseUrl.replace(/\/+$/, '');
  const client = createClient(url, await readApiDocument(url), triesOfGiven);
  return {
    url,
    adminApiKey: ADMIN_API_KEY,
    jwtSecret: readSecret(AUTH_JWT_SECRET),
    propagationMs: 5_000,
    client,
  };
}

/** UTF-8 as written, or `base64:…` (`docs/configuration.md`). */
function readSecret(text: string): Buffer {
  return text.startsWith('base64:') ? Buffer.from(text.slice('base64:'.length), 'base64') : Buffer.from(text);
}

import { readFileSync } from 'node:fs';
import { afterAll, expect, inject, onTestFinished, TestRunner, vi } from 'vitest';
import { readTokenSecret } from '../tokens.ts';
import { findApiDocument, readApiDocument } from './api-document.ts';
import { type Client, createClient } from './client.ts';
import { checkOutput, readLines } from './request-lines.ts';
import { type FrontDoors, startSeparateServices } from './separate-services.ts';
import type { SharedServer } from './serve-shared.ts';
import type { Environment, ServerOutput, ServerProcess } from './server-process.ts';
import { type SharedName, sharedSettings } from './shared-settings.ts';
import {
  isOfSingleNodes,
  leastSettings,
  loopback,
  masterKeyHex,
  propagationOfSeparateMs,
  readable,
  type ServerProfile,
  type StartedServer,
  saltHex,
  startOnProfile,
  startSingleNodeOf,
  triesOfSeparate,
} from './start-server.ts';

export { makeApiKey, masterKeyHex, saltHex } from './start-server.ts';

/** For `BASE_URL`, which may lead to several processes. They answer 503 while one of them is slow, for half a minute at most. */
const triesOfGiven = 30;
/** How long the lines of the last answers may take to be in a shared server's log. */
const logLimitMs = 30_000;

const profile: ServerProfile = {
  baseUrl: inject('baseUrl'),
  custody: inject('custody'),
  separateOn: inject('separateOn'),
  containersOf: inject('containersOf'),
  containersNamed: inject('containersNamed'),
};

/** A server and its credentials. */
export interface Target {
  url: string;
  /** The bootstrap key, for `Authorization: Bearer`. */
  adminApiKey: string;
  /** The bytes of `AUTH_JWT_SECRET`. */
  jwtSecret: Buffer;
  /**
   * How long a revocation may take to reach every replica: 0 for a single process, 5 s for several. Usually it takes a second,
   * but longer if a machine stalls (`docs/reference/contract.md#revocation`).
   */
  propagationMs: number;
  /** Checks every answer against `docs/reference/contract.md#conventions` and the server's own OpenAPI document. */
  client: Client;
}

/** A server of these tests, whose output can be read. */
export interface WatchedServer extends Target {
  /** Its output, from when this file of tests began to use it. */
  process: ServerOutput & { pid: number };
  /** The address of this process as the server sees it: loopback, or the bridge before containers. */
  peer: string;
  /** The variables by which `latchkey` opens its database; null where only containers reach it. */
  database: Environment | null;
}

/** A server that this test started, on the profile that is tested. */
export interface OwnServer extends WatchedServer {
  process: ServerProcess;
  /** Stops it, and checks that it exited with 0, wrote one well-formed line for each request, and showed no secret. */
  close(): Promise<void>;
}

/**
 * Whether a test's own servers are containers of compose.yaml. These run with `NODE_ENV=production`, get only the variables
 * that compose.yaml passes on, read no file of this machine, and see a test at the address of a bridge.
 */
export const areContainers = profile.containersOf !== null;

/** Whether servers with settings of a test's own are single nodes, on SQLite. */
export const isSingleNode = isOfSingleNodes(profile);

/** A single node that this test started. */
export interface OwnSingleNode extends OwnServer {
  /** Its folder, with `latchkey.db` in it. */
  folder: string;
}

/**
 * Starts a server of the test file's own on the profile that is tested, and closes it after the file's last test. In a test it is
 * closed after that test. In `beforeAll`, use `startServerToClose`.
 *
 * @param env added to the variables that a server needs; undefined removes one
 */
export function startServer(env: Environment = {}): Promise<OwnServer> {
  return closeAtTheEnd(startServerToClose(env));
}

/** As `startServer`, for a test that closes the server itself: only a few servers may run as containers at a time. */
export async function startServerToClose(env: Environment = {}): Promise<OwnServer> {
  return watch(await startOnProfile(profile, env));
}

/** As `startServer`, for tests of the single node itself: its process, its folder, its file. */
export function startSingleNode(env: Environment = {}): Promise<OwnSingleNode> {
  return closeAtTheEnd(startSingleNodeToClose(env));
}

/** As `startSingleNode`, for a test that closes the server itself. */
export async function startSingleNodeToClose(env: Environment): Promise<OwnSingleNode> {
  const started = await startSingleNodeOf(profile, env);
  return { ...(await watch(started)), folder: started.folder };
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
  settings: FrontDoors['settings'],
  common: Environment = {},
): Promise<OwnEdges> {
  const start = async () => {
    const env = { ...leastSettings(profile), ...common };
    const services = await startSeparateServices(env, postgres, { kind: 'edge', settings });
    const server = await watch({
      ...services,
      peer: loopback,
      env: readable(env),
      propagationMs: propagationOfSeparateMs,
      tries: triesOfSeparate,
    });
    return { ...server, doors: services.doors };
  };
  return closeAtTheEnd(start());
}

async function closeAtTheEnd<S extends OwnServer>(starting: Promise<S>): Promise<S> {
  // Registered before the start, so that this server is closed even if the next one of the file does not start.
  atTheEnd(async () => {
    const server = await starting.catch(() => null);
    await server?.close();
  });
  return starting;
}

/** How long a server that a test started may take to end. */
const closeLimitMs = 60_000;

/** Runs it after the current test or, while the file is read, after its last one. Inside a test, Vitest ignores `afterAll`. */
function atTheEnd(run: () => Promise<void>): void {
  if (TestRunner.getCurrentTest()) onTestFinished(run, closeLimitMs);
  else afterAll(run);
}

async function watch(started: StartedServer): Promise<OwnServer> {
  const { process, env, remove } = started;
  let client: Client | null = null;
  const close = async () => {
    process.kill('SIGTERM');
    const { code, signal } = await process.ended();
    await remove();
    if (code !== 0) throw new Error(`the server ended with ${code ?? signal}:\n${process.stderr()}`);
    checkOutput(process, client, secretsOf(env));
  };
  try {
    client = createClient(started.url, await findApiDocument(started.url, env), started.tries);
  } catch (error) {
    await close();
    throw error;
  }
  return { ...describe(started, client), process, close };
}

const secretsOf = (env: SharedServer['env']) => [
  masterKeyHex,
  saltHex,
  env.ADMIN_API_KEY,
  env.AUTH_JWT_SECRET,
];

function describe(
  { url, env, propagationMs, peer, database }: Omit<SharedServer, 'pid' | 'output'>,
  client: Client,
): Omit<WatchedServer, 'process'> {
  return {
    url,
    adminApiKey: env.ADMIN_API_KEY,
    jwtSecret: Buffer.from(env.AUTH_JWT_SECRET),
    propagationMs,
    client,
    peer,
    database,
  };
}

/**
 * A server that files of tests share, on the profile that is tested. After the file's last test its log is checked as the log
 * of an own server is. Containers are not shared: only a few may run at a time.
 */
export async function openShared(name: SharedName): Promise<WatchedServer> {
  if (areContainers) return startServer(sharedSettings[name]);
  const shared = await readShared<SharedServer>(`/servers/${name}`);
  const process = { pid: shared.pid, ...followOutput(shared.output) };
  const client = createClient(shared.url, await findApiDocument(shared.url, shared.env), shared.tries);
  atTheEnd(async () => {
    // A line is written after its answer.
    const missing = () => {
      const written = new Set(readLines(process).map(({ requestId }) => requestId));
      return client.answered.filter((id) => !written.has(id));
    };
    await vi.waitFor(() => expect(missing()).toEqual([]), { timeout: logLimitMs, interval: 20 });
    checkOutput(process, client, secretsOf(shared.env));
  });
  return { ...describe(shared, client), process };
}

/** The output from now on, and the beginning of a line of which only a part is written. */
function followOutput(files: SharedServer['output']): ServerOutput {
  const follow = (file: string) => {
    const begin = readFileSync(file).lastIndexOf('\n') + 1;
    return () => readFileSync(file).subarray(begin).toString();
  };
  return { stdout: follow(files.stdout), stderr: follow(files.stderr) };
}

/** Asks `serve-shared.ts`. @throws Error with what it says */
export async function readShared<T>(path: string): Promise<T> {
  const response = await fetch(`${inject('sharedUrl')}${path}`);
  if (!response.ok) throw new Error(await response.text());
  return response.json() as Promise<T>;
}

/**
 * The server that `BASE_URL` names, used with `ADMIN_API_KEY` and `AUTH_JWT_SECRET`; else a shared one.
 *
 * @param name of the shared one
 */
export async function openTarget(name: SharedName = 'plain'): Promise<Target> {
  if (!profile.baseUrl) return openShared(name);
  const { ADMIN_API_KEY, AUTH_JWT_SECRET } = process.env;
  if (!ADMIN_API_KEY || !AUTH_JWT_SECRET)
    throw new Error('BASE_URL needs ADMIN_API_KEY and AUTH_JWT_SECRET of that server');
  const url = profile.baseUrl.replace(/\/+$/, '');
  const client = createClient(url, await readApiDocument(url), triesOfGiven);
  return {
    url,
    adminApiKey: ADMIN_API_KEY,
    jwtSecret: readTokenSecret(AUTH_JWT_SECRET),
    propagationMs: propagationOfSeparateMs,
    client,
  };
}

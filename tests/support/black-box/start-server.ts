import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { startContainers } from './containers.ts';
import { startSeparateServices } from './separate-services.ts';
import {
  type Environment,
  makeFolder,
  type OnOutput,
  type ServerProcess,
  startProcess,
} from './server-process.ts';

/** The values of `provide` in vitest.config.ts about the servers that tests get. */
export interface ServerProfile {
  /** `BASE_URL`; null if it is not set. */
  baseUrl: string | null;
  /** Variables in JSON that take the place of the master key in single nodes; null if it is in their environment. */
  custody: string | null;
  /** The Postgres for servers that run as separate services; null for single nodes. */
  separateOn: string | null;
  /** The tag of the images for servers that run as containers; else null. */
  containersOf: string | null;
  /** The prefix of the names of their Compose projects. */
  containersNamed: string;
}

/** A server that runs, and what it was started with. */
export interface StartedServer {
  url: string;
  process: ServerProcess;
  /** The address of this process as the server sees it: loopback, or the bridge before containers. */
  peer: string;
  /** The variables by which `latchkey` opens its database; null where only containers reach it. */
  database: Environment | null;
  env: Environment & { ADMIN_API_KEY: string; AUTH_JWT_SECRET: string };
  /** How long a revocation may take to reach every replica. */
  propagationMs: number;
  /** How often a request is sent at most while the answer is 503. */
  tries: number;
  /** Removes what it leaves behind, after its end. */
  remove(): Promise<void>;
}

/** A single node that runs. */
export interface StartedSingleNode extends StartedServer {
  /** Its folder, with `latchkey.db` in it. */
  folder: string;
}

/** The master key and salt of the vector in `docs/reference/contract.md#derivation`. */
export const masterKeyHex = Buffer.from(Array.from({ length: 32 }, (_, i) => i)).toString('hex');
export const saltHex = Buffer.from(Array.from({ length: 32 }, (_, i) => 32 + i)).toString('hex');

export const loopback = '127.0.0.1';
/** On a busy machine, separate services may answer 503 once or twice. */
export const triesOfSeparate = 4;
/** A change is usually everywhere within a second, but later if a machine stalls (`docs/reference/contract.md#revocation`). */
export const propagationOfSeparateMs = 5_000;

export function makeApiKey(): string {
  return `lk_${randomBytes(32).toString('hex')}`;
}

/** Whether servers with settings of a test's own are single nodes, on SQLite. */
export const isOfSingleNodes = ({ separateOn, containersOf }: ServerProfile): boolean =>
  separateOn === null && containersOf === null;

/**
 * Starts a server on the profile that is tested.
 *
 * @param env added to the variables that a server needs; undefined removes one
 */
export async function startOnProfile(
  profile: ServerProfile,
  env: Environment,
  onOutput?: OnOutput,
): Promise<StartedServer> {
  if (isOfSingleNodes(profile)) return startSingleNodeOf(profile, env, onOutput);
  const all = { ...leastSettings(profile), ...env };
  const { separateOn, containersOf, containersNamed } = profile;
  const started = separateOn
    ? { ...(await startSeparateServices(all, separateOn, undefined, onOutput)), peer: loopback }
    : await startContainers(all, containersOf ?? '', containersNamed);
  return {
    database: null,
    ...started,
    env: readable(all),
    propagationMs: propagationOfSeparateMs,
    tries: triesOfSeparate,
  };
}

/** Starts a single node, whatever the profile. */
export async function startSingleNodeOf(
  profile: ServerProfile,
  env: Environment,
  onOutput?: OnOutput,
): Promise<StartedSingleNode> {
  const folder = makeFolder();
  const all = { ...leastSettings(profile), SQLITE_PATH: join(folder.path, 'latchkey.db'), ...env };
  const process = startProcess(folder.path, all, onOutput);
  const remove = async () => folder.remove();
  // The folder must also be removed if the server does not start.
  const url = await process.listens().catch(async (error) => {
    await remove();
    throw error;
  });
  const { SQLITE_PATH, DATABASE_URL }: Environment = all;
  return {
    url,
    process,
    peer: loopback,
    database: DATABASE_URL ? { DATABASE_URL } : { SQLITE_PATH },
    env: readable(all),
    propagationMs: 0,
    tries: 1,
    remove,
    folder: folder.path,
  };
}

/** The variables without which no server starts, on free ports. */
export function leastSettings({ custody }: ServerProfile): Environment {
  return {
    PORT: '0',
    HOST: loopback,
    METRICS_PORT: '0',
    ...(custody === null
      ? { MASTER_KEY_HEX: masterKeyHex, SALT_HEX: saltHex }
      : (JSON.parse(custody) as Environment)),
    ADMIN_API_KEY: makeApiKey(),
    AUTH_JWT_SECRET: randomBytes(32).toString('hex'),
    SHUTDOWN_DRAIN_SECONDS: '0',
  };
}

/** A test may have removed one of its two credentials. */
export const readable = (env: Environment): StartedServer['env'] => ({
  ...env,
  ADMIN_API_KEY: env.ADMIN_API_KEY ?? '',
  AUTH_JWT_SECRET: env.AUTH_JWT_SECRET ?? '',
});

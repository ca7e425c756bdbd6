import { startStack } from '../stack/start-stack.ts';
import { makeDatabase } from '../stores/new-database.ts';
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

/** The processes that face the clients: a gateway before key-derivation, or edge processes in place of both. */
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
  const database = await makeDatabase(postgres);
  const settings = Object.fromEntries(
    Object.entries(env).filter(([variable]) => !singleNodeOnly.includes(variable)),
  );
  const output = { stdout: '', stderr: '' };
  const stack = await startStack({
    stores: { postgres: database.url },
    rolePrefix: database.name,
    edge: kind === 'edge',
    replicas: { [kind]: doorSettings.length },
    settings: { LOG_LEVEL: 'info', ...settings },
    settingsOf: Object.fromEntries(doorSettings.map((own, index) => [`${kind}-${index + 1}`, own])),
    outputOf: (from) => (_name, stream, text) => {
      if (stream !== 'stderr' && !from.startsWith(kind)) return;
      output[stream] += text;
      onOutput?.(stream, text);
    },
  }).catch(async (error: Error) => {
    await database.drop();
    throw new Error(`${error.message}\n${output.stderr}`);
  });

  let ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }> | null = null;
  const kill = (signal: NodeJS.Signals) => {
    ended ??= stack.end(signal);
  };
  return {
    url: stack.url,
    doors: stack.doors.map((door) => door.url),
    database: { DATABASE_URL: database.url },
    process: {
      pid: 0,
      stdout: () => output.stdout,
      stderr: () => output.stderr,
      listens: async () => stack.url,
      kill,
      ended: async () => ended ?? { code: null, signal: null },
    },
    remove: database.drop,
  };
}

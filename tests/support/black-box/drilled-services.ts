import { onTestFinished } from 'vitest';
import type { LatchkeyProcess } from '../processes/latchkey-process.ts';
import { startStack } from '../stack/start-stack.ts';
import { startOwnRedis } from '../stores/own-stores.ts';
import { readApiDocument } from './api-document.ts';
import { createClient } from './client.ts';
import type { Target } from './target.ts';

/** Separate services whose database a test loses and restores. */
export interface DrilledServices {
  target: Target;
  /** `latchkey migrate`, with the roles of the services. */
  migrate(): Promise<void>;
  /** The processes with rows of their own. The documents stop them before a restore; the others go on. */
  owners: readonly LatchkeyProcess[];
  /** The request log so far. */
  log(): string;
}

/**
 * Starts separate services with a Redis of their own, and migrates their database. Both are stopped after the test.
 *
 * @param url of a database that is empty
 * @param prefix of the names of its roles
 */
export async function startDrilledServices(url: string, prefix: string): Promise<DrilledServices> {
  const redis = await startOwnRedis();
  onTestFinished(() => redis.stop());
  let log = '';
  const stack = await startStack({
    stores: { postgres: url, redis: redis.url },
    rolePrefix: prefix,
    settings: { LOG_LEVEL: 'info', SHUTDOWN_DRAIN_SECONDS: '0' },
    outputOf: (from) => (_name, stream, text) => {
      if (stream === 'stdout' && from.startsWith('gateway')) log += text;
    },
  });
  onTestFinished(async () => void (await stack.end('SIGKILL')));
  const { secrets, processes } = stack;
  const target: Target = {
    url: stack.url,
    adminApiKey: secrets.ADMIN_API_KEY,
    jwtSecret: Buffer.from(secrets.AUTH_JWT_SECRET),
    propagationMs: 5_000,
    client: createClient(stack.url, await readApiDocument(stack.url), 10),
  };
  const owners = [...processes.auth, ...processes.content, ...processes.leases];
  return { migrate: stack.migrate, target, owners, log: () => log };
}

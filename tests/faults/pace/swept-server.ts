import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSingleNodeProcess } from '@latchkey/support/processes/single-node';
import { adminKey, keyMaterial, tokenSecret } from '../stack/secrets.ts';
import type { Stack } from '../stack/stack.ts';

/** A server whose pace is measured. */
export interface SweptServer {
  readonly name: string;
  /** Where clients reach it. */
  readonly url: string;
  readonly replicas: number;
  /** How many buckets one viewer has: one for all replicas, or one for each where they share no Redis. */
  readonly buckets: number;
}

/** Starts the single node on SQLite. @returns what ends it, too */
export async function startSingleNode(): Promise<SweptServer & { stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-pace-'));
  const server = startSingleNodeProcess({
    folder,
    env: {
      ...keyMaterial,
      PORT: '0',
      HOST: '127.0.0.1',
      METRICS_PORT: '0',
      SQLITE_PATH: join(folder, 'latchkey.db'),
      ADMIN_API_KEY: adminKey,
      AUTH_JWT_SECRET: tokenSecret,
      SHUTDOWN_DRAIN_SECONDS: '0',
    },
    logFile: join(folder, 'log'),
  });
  const url = await server.listens();
  return {
    name: 'the single node',
    url,
    replicas: 1,
    buckets: 1,
    async stop() {
      server.kill('SIGKILL');
      await server.ended();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function asSwept({ gateways, servers }: Stack, sharesRedis: boolean): SweptServer {
  const replicas = servers['key-derivation'].length;
  return {
    name: `${replicas} replicas ${sharesRedis ? 'with' : 'without'} Redis`,
    url: gateways[0]?.url ?? '',
    replicas,
    buckets: sharesRedis ? 1 : replicas,
  };
}

/** The variables of services that have no Redis. */
export const withoutRedis = Object.fromEntries(
  (['auth', 'content', 'leases', 'key-derivation'] as const).map((kind) => [kind, { REDIS_URL: undefined }]),
);

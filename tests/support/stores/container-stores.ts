import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { StoreName } from './own-stores.ts';

/** A running daemon answers within some hundred milliseconds. */
const dockerTimeoutMs = 3_000;

const containers = {
  Postgres: {
    image: 'postgres:17-alpine',
    port: 5432,
    command: ['postgres', '-c', 'fsync=off', '-c', 'max_connections=300'],
    url: (address: string) => `postgres://postgres:tests@${address}/postgres`,
    // It starts twice, the first time only for its own initialisation.
    ready: { line: /ready to accept connections/, times: 2 },
  },
  Redis: {
    image: 'redis:8-alpine',
    port: 6379,
    command: ['redis-server', '--save', ''],
    url: (address: string) => `redis://${address}`,
    ready: { line: /Ready to accept connections/, times: 1 },
  },
  NATS: {
    image: 'nats:2.12-alpine',
    port: 4222,
    command: ['nats-server', '-js'],
    url: (address: string) => `nats://${address}`,
    ready: { line: /Server is ready/, times: 1 },
  },
} as const;

/** Whether a Docker daemon answers. */
export async function hasDocker(): Promise<boolean> {
  try {
    await promisify(execFile)('docker', ['info'], { timeout: dockerTimeoutMs });
    return true;
  } catch {
    return false;
  }
}

/** @throws Error of Docker, for example if it cannot pull the image */
export async function startContainer(name: StoreName): Promise<{ url: string; stop(): Promise<void> }> {
  // Loaded only on use, because loading takes half a second.
  const { GenericContainer, Wait } = await import('testcontainers');
  const { image, port, command, url, ready } = containers[name];
  const container = await new GenericContainer(image)
    .withExposedPorts(port)
    .withCommand([...command])
    .withEnvironment(name === 'Postgres' ? { POSTGRES_PASSWORD: 'tests' } : {})
    .withWaitStrategy(Wait.forLogMessage(ready.line, ready.times))
    .start();
  return {
    url: url(`${container.getHost()}:${container.getMappedPort(port)}`),
    stop: async () => void (await container.stop()),
  };
}

import { randomInt } from 'node:crypto';
import { findProgram } from '@latchkey/support/stores/own-stores';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { connectRedis } from '../replicas/index.ts';
import { patientLimits, startRedis } from '../replicas/redis.fixture.ts';
import { createSilentHost } from '../testing/silent-host.ts';
import { createRateLimiter } from './rate-limit.ts';

const url = process.env.TEST_REDIS_URL ?? '';
const canStart = findProgram('redis-server') !== undefined;
const waiting = { timeout: 30_000, interval: 10 };
vi.setConfig({ testTimeout: 90_000 });

/** `docs/reference/contract.md#rate-limits`. */
const figures = {
  rateLimitKeysPerMinute: 60,
  rateLimitApiPerMinute: 30,
  rateLimitDashboardPerMinute: 600,
  rateLimitPresignPerMinute: 10,
  rateLimitLeasesPerMinute: 10,
  rateLimitPlaylistsPerMinute: 600,
  rateLimitApiKeyPerMinute: 1_200,
};

/** A replica that answers a limited route, with a connection of its own. */
async function startReplica(at: string, clientIp: string, limits?: typeof patientLimits) {
  const connection = connectRedis(at, () => {}, limits);
  const app = createSilentHost({ clientIpOf: () => clientIp });
  onTestFinished(async () => {
    await app.close();
    connection.close();
  });
  const limiter = await createRateLimiter(app, figures, { connection });
  app.get('/limited', {
    config: { access: 'open', limit: 'presign' },
    preHandler: limiter,
    handler: async () => 'ok',
  });
  await vi.waitFor(() => expect(connection.isUp()).toBe(true), waiting);
  return { app, connection, ask: async () => (await app.inject('/limited')).statusCode };
}

/** An address that no earlier run has used this minute. */
const anyIp = () => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`;

test.skipIf(url === '')('replicas that share a Redis count together', async () => {
  const ip = anyIp();
  const [first, second] = [
    await startReplica(url, ip, patientLimits),
    await startReplica(url, ip, patientLimits),
  ];
  const statuses: number[] = [];
  for (let i = 0; i < 6; i++) statuses.push(await first.ask(), await second.ask());
  // 10 a minute: docs/reference/contract.md#rate-limits.
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429]);
});

describe.skipIf(url === '' || !canStart)('where Redis', () => {
  test.each(['SIGKILL', 'SIGSTOP'] as const)(
    'gets %s, requests are answered, and soon without asking it',
    async (signal) => {
      const server = await startRedis();
      const { ask, connection } = await startReplica(server.url, anyIp());
      process.kill(server.pid, signal);
      expect(await ask()).toBe(200);
      await vi.waitFor(() => expect(connection.isUp()).toBe(false), waiting);
      const sent = vi.spyOn(connection.redis, 'sendCommand');
      for (let i = 0; i < 20; i++) expect(await ask()).toBe(200);
      // All that it is asked is whether it answers again.
      expect(sent.mock.calls.map(([{ name }]) => name).filter((name) => name !== 'ping')).toEqual([]);
    },
  );
});

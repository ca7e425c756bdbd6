import { startOwnRedis } from '@latchkey/support/stores/own-stores';
import type { RunningVariant } from '@latchkey/support/stores/redis-variants';
import type { ServerProgram } from '@latchkey/support/stores/server-program';
import { onTestFinished } from 'vitest';
import type { RedisLimits } from './redis-client.ts';

/** For tests in which Redis answers and whose subject is not its speed. */
export const patientLimits: RedisLimits = {
  commandTimeoutMs: 60_000,
  connectTimeoutMs: 60_000,
  socketTimeoutMs: 60_000,
};

/** A Redis, until the end of the test. */
export async function startRedis(place?: Parameters<typeof startOwnRedis>[0]): Promise<ServerProgram> {
  const server = await startOwnRedis(place);
  onTestFinished(() => server.stop());
  return server;
}

/** Waits for one that starts, which stops at the end of the test. */
export async function started<V extends RunningVariant>(starting: Promise<V>): Promise<V> {
  const variant = await starting;
  onTestFinished(() => variant.stop());
  return variant;
}

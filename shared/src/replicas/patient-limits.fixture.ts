import type { RedisLimits } from './redis-client.ts';

/** For tests in which Redis answers and whose subject is not its speed. */
export const patientLimits: RedisLimits = {
  commandTimeoutMs: 60_000,
  connectTimeoutMs: 60_000,
  socketTimeoutMs: 60_000,
};

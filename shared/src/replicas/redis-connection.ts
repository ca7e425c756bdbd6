import type { Redis } from 'ioredis';
import { explainTlsFault, type TlsFiles } from '../tls/index.ts';
import { createRedisCircuit, isMoved } from './redis-circuit.ts';
import { openRedisClient, type RedisLimits } from './redis-client.ts';

export const usualLimits: RedisLimits = {
  // A look-up on the same network takes well under a millisecond; calling the owner instead takes a few.
  commandTimeoutMs: 50,
  connectTimeoutMs: 2_000,
  socketTimeoutMs: 5_000,
};
export const redisTlsVariables = { ca: 'REDIS_CA_FILE', cert: 'REDIS_CERT_FILE', key: 'REDIS_KEY_FILE' };

export type RedisConnection = ReturnType<typeof connectRedis>;

/**
 * Connects in the background, and always reconnects.
 *
 * @param onFault called with the reason why Redis cannot be used: once for each outage, the one at the start included
 */
export function connectRedis(
  url: string,
  onFault: (error: unknown) => void,
  limits: RedisLimits = usualLimits,
  tls: TlsFiles | null = null,
) {
  const settings = tls?.settings ?? {};
  const subject = { name: 'Redis', urlVariable: 'REDIS_URL', variables: redisTlsVariables, settings };
  const outage = createRedisOutage(onFault, (error) =>
    isMoved(error) ? new Error(leadsToCluster) : (explainTlsFault(error, subject) ?? error),
  );
  let closing = false;
  const report = (error: unknown) => {
    if (!closing) outage.report(error);
  };
  const client = openRedisClient(url, limits, tls, report);
  const { redis } = client;
  let wasReady = false;
  redis.on('ready', () => {
    wasReady = true;
  });
  redis.on('close', () => {
    if (!wasReady) report(new Error('the connection was closed before it could be used'));
    wasReady = false;
  });
  const circuit = createRedisCircuit(client, { onOpen: report, onClosed: outage.end });
  return {
    /** Its commands fail fast and never queue. */
    redis,
    /** Whether a command is likely to succeed. */
    isUp: circuit.isUp,
    /**
     * Runs a command that may fail.
     *
     * @returns undefined if Redis is down or did not answer in time
     */
    async attempt<T>(command: (redis: Redis) => Promise<T>): Promise<T | undefined> {
      if (!circuit.isUp()) return undefined;
      try {
        const result = await command(redis);
        circuit.succeed();
        return result;
      } catch (error) {
        circuit.fail(error);
        return undefined;
      }
    },
    close(): void {
      closing = true;
      circuit.close();
      client.close();
    },
  };
}

const leadsToCluster =
  'REDIS_URL leads to a node of a Redis Cluster (MOVED), which is not supported: name one Redis, or Sentinels';

/** Maximum number of different refusals reported in one outage. Redis has few, and one outage seldom more than one. */
const mostReasons = 5;

/**
 * Reports an outage once, however often it is noticed. A Redis that answers with a refusal waits for the operator, unlike one that has not started yet. So each refusal
 * (NOAUTH, a missing database) is reported, even where the outage began with another error.
 *
 * @param onFault called with the reason, as an Error without a command's arguments, so without a password
 * @param explain puts an error into the words of an operator, or returns it unchanged
 */
export function createRedisOutage(
  onFault: (error: Error) => void,
  explain: (error: unknown) => unknown = (error) => error,
) {
  const reported = new Set<string>();
  return {
    report(error: unknown): void {
      const explained = explain(error);
      const reason = explained === error ? withoutArguments(error) : (explained as Error);
      if (reported.size > 0 && !isReply(error)) return;
      if (reported.has(reason.message) || reported.size >= mostReasons) return;
      reported.add(reason.message);
      onFault(reason);
    },
    /** The outage is over: the next one is reported again. */
    end: () => reported.clear(),
  };
}

/** Whether Redis itself refused: an error of ioredis' `ReplyError`, by its name so that the class need not be loaded. */
function isReply(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError';
}

/** A command's error carries its arguments, and Redis repeats the arguments of an unknown command. */
function withoutArguments(error: unknown): Error {
  const { message, code }: NodeJS.ErrnoException = error instanceof Error ? error : new Error(String(error));
  const reason = new Error(message.replace(/,? with args beginning with.*/s, ''));
  return code === undefined ? reason : Object.assign(reason, { code });
}

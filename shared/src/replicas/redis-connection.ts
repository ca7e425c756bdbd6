import type { Redis } from 'ioredis';
import type { RenewableText } from '../net/index.ts';
import { explainTlsFault, type TlsFiles } from '../tls/index.ts';
import {
  findSentinelFault,
  openRedisClient,
  type RedisAccess,
  type RedisClient,
  type RedisLimits,
} from './redis-client.ts';

export const usualLimits: RedisLimits = {
  // A look-up on the same network takes well under a millisecond; calling the owner instead takes a few.
  commandTimeoutMs: 50,
  connectTimeoutMs: 2_000,
  socketTimeoutMs: 5_000,
};
export const redisTlsVariables = { ca: 'REDIS_CA_FILE', cert: 'REDIS_CERT_FILE', key: 'REDIS_KEY_FILE' };
/** How soon a change of Redis between answering and not answering is noticed. Each probe is one small command. */
const probeEveryMs = 500;
/** This many failures in a row are not chance. Each may have cost a request the whole time limit. */
const failuresInARow = 3;

export interface RedisConnection {
  /** Its commands fail fast and never queue. */
  readonly redis: Redis;
  /** Whether a command is likely to succeed. */
  isUp(): boolean;
  /**
   * Runs a command that may fail.
   *
   * @returns undefined where Redis is down or did not answer in time
   */
  attempt<T>(command: (redis: Redis) => Promise<T>): Promise<T | undefined>;
  close(): void;
}

/**
 * Connects in the background, and always reconnects. A dead Redis refuses at once, but a paused one or a cut network
 * would cost each call its time limit. After some failures in a row, no command is sent until a probe is answered. The
 * same holds for each new connection: one whose password or database was refused never gets a command.
 *
 * @param url whose users and passwords may change: open connections stay, and new ones take the present login
 * @param onFault called with the reason why Redis cannot be used: once for each outage, the one at the start included
 */
export function connectRedis(
  url: string | RenewableText,
  onFault: (error: unknown) => void,
  limits: RedisLimits = usualLimits,
  access: RedisAccess = {},
): RedisConnection {
  const client = openRedisClient(url, limits, access);
  const { redis, place, probe: sendProbe } = client;
  const outage = createExplainedOutage(client, access.tls ?? null, limits, onFault);
  /** A node of a cluster answers a ping and refuses the keys of others: to probe it would not help. */
  let isOfCluster = false;
  let failures = failuresInARow;
  let closing = false;
  const isUp = () => redis.status === 'ready' && failures < failuresInARow && !isOfCluster;

  const report = (error: unknown) => {
    if (!closing) outage.report(error);
  };
  function fail(error: unknown, count: number): void {
    failures += count;
    if (!isOfCluster && place.kind !== 'cluster' && isMoved(error)) {
      isOfCluster = true;
      report(new Error(leadsToCluster));
    }
    if (isOfCluster) return;
    // A connection that is lost, or cannot be made, reports the reason in a separate event.
    if (failures >= failuresInARow && redis.status === 'ready') report(error);
  }

  async function probe(): Promise<void> {
    if (redis.status !== 'ready' || isOfCluster) return;
    const succeed = () => {
      failures = 0;
      outage.end();
    };
    await sendProbe().then(succeed, (error) => fail(error, failuresInARow));
  }
  watchRedis(redis, report, {
    onReady() {
      isOfCluster = false;
      void probe();
    },
    onClose() {
      failures = failuresInARow;
    },
  });
  const probing = setInterval(() => void probe(), probeEveryMs);
  probing.unref();

  return {
    redis,
    isUp,
    async attempt(command) {
      if (!isUp()) return undefined;
      try {
        const result = await command(redis);
        if (failures < failuresInARow) failures = 0;
        return result;
      } catch (error) {
        fail(error, 1);
        return undefined;
      }
    },
    close() {
      closing = true;
      clearInterval(probing);
      client.close();
    },
  };
}

function watchRedis(
  redis: Redis,
  onError: (error: unknown) => void,
  { onReady, onClose }: { onReady: () => void; onClose: () => void },
): void {
  // Without a listener, ioredis writes to the console.
  redis.on('error', onError);
  let wasReady = false;
  redis.on('ready', () => {
    wasReady = true;
    onReady();
  });
  redis.on('close', () => {
    if (!wasReady) onError(new Error('the connection was closed before it could be used'));
    wasReady = false;
    onClose();
  });
}

/** Reports the outages of Redis in the words of an operator, where TLS is the reason. A refused login is no outage while another one may hold. */
function createExplainedOutage(
  { place, refuseLogin, acceptLogin }: RedisClient,
  tls: TlsFiles | null,
  { connectTimeoutMs }: RedisLimits,
  onFault: (error: unknown) => void,
): RedisOutage {
  const settings = tls?.settings ?? {};
  const subject = { name: 'Redis', urlVariable: 'REDIS_URL', variables: redisTlsVariables, settings };
  const explain = (error: unknown) => explainTlsFault(error, subject) ?? error;
  const report = (reason: Error) => {
    if (place.kind !== 'sentinel' || !place.isTls) return onFault(reason);
    void findSentinelFault(place, tls, connectTimeoutMs).then((found) =>
      onFault(found ? explain(found) : reason),
    );
  };
  const outage = createRedisOutage(report, explain);
  return {
    report(error) {
      if (!isLoginRefused(error) || !refuseLogin()) outage.report(error);
    },
    end() {
      acceptLogin();
      outage.end();
    },
  };
}

/** By Redis itself, or by the sentinels, of which the client says only that none can be used. */
function isLoginRefused(error: unknown): boolean {
  const { message, lastNodeError } = (error ?? {}) as { message?: string; lastNodeError?: unknown };
  return (
    /WRONGPASS|NOAUTH|invalid password/.test(message ?? '') ||
    (lastNodeError !== undefined && isLoginRefused(lastNodeError))
  );
}

const isMoved = (error: unknown) => error instanceof Error && error.message.startsWith('MOVED ');
const leadsToCluster =
  'REDIS_URL leads to a node of a Redis Cluster (MOVED): write redis+cluster:// in place of redis://, or rediss+cluster:// in place of rediss://';

/** Maximum number of different refusals reported in one outage. Redis has few, and one outage seldom more than one. */
const mostReasons = 5;

/** Reports an outage once, however often it is noticed. */
interface RedisOutage {
  report(error: unknown): void;
  /** The outage is over: the next one is reported again. */
  end(): void;
}

/**
 * A Redis that answers with a refusal waits for the operator, unlike one that has not started yet. So each refusal
 * (NOAUTH, a missing database) is reported, even where the outage began with another error.
 *
 * @param onFault called with the reason, as an Error without a command's arguments, so without a password
 * @param explain puts an error into the words of an operator, or returns it unchanged
 */
export function createRedisOutage(
  onFault: (error: Error) => void,
  explain: (error: unknown) => unknown = (error) => error,
): RedisOutage {
  const reported = new Set<string>();
  return {
    report(error) {
      const explained = explain(error);
      // That of a cluster says only that no node answered.
      const { lastNodeError } = (error ?? {}) as { lastNodeError?: unknown };
      const reason = explained === error ? withoutArguments(lastNodeError ?? error) : (explained as Error);
      if (reported.size > 0 && !isReply(error)) return;
      if (reported.has(reason.message) || reported.size >= mostReasons) return;
      reported.add(reason.message);
      onFault(reason);
    },
    end: () => reported.clear(),
  };
}

/** Whether Redis itself refused: an error of ioredis' `ReplyError`, by its name so that the class need not be loaded. */
function isReply(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError';
}

/** A command's error carries its arguments, and Redis repeats those of an unknown command. */
function withoutArguments(error: unknown): Error {
  const { message, code }: NodeJS.ErrnoException = error instanceof Error ? error : new Error(String(error));
  const reason = new Error(message.replace(/,? with args beginning with.*/s, ''));
  return code === undefined ? reason : Object.assign(reason, { code });
}

import type { RedisClient } from './redis-client.ts';

/** How soon a change of Redis between answering and not answering is noticed. Each probe is one small command. */
const probeEveryMs = 500;
/** This many failures in a row are not chance. Each may have cost a request the whole time limit. */
const failuresInARow = 3;

/**
 * Counts failures in a row.
 *
 * A dead Redis refuses at once, but a paused one or a cut network would cost each call its time limit. After some failures in a row, no command
 * is to be sent until a probe is answered. The same holds for each new connection: one whose password or database was refused never gets a
 * command.
 */
export function createRedisCircuit(
  { redis, probe }: RedisClient,
  { onOpen, onClosed }: { onOpen: (error: unknown) => void; onClosed: () => void },
) {
  let failures = failuresInARow;
  function fail(error: unknown, count = 1): void {
    // A node of a cluster answers a probe and refuses the keys of others. It is not used until the next connection.
    failures += isMoved(error) ? Number.POSITIVE_INFINITY : count;
    // A connection that is lost, or cannot be made, reports the reason in a separate event.
    if (failures >= failuresInARow && redis.status === 'ready') onOpen(error);
  }
  async function check(): Promise<void> {
    if (redis.status !== 'ready' || failures === Number.POSITIVE_INFINITY) return;
    const succeed = () => {
      failures = 0;
      onClosed();
    };
    await probe().then(succeed, (error) => fail(error, failuresInARow));
  }
  redis.on('close', () => {
    failures = failuresInARow;
  });
  redis.on('ready', () => void check());
  const probing = setInterval(() => void check(), probeEveryMs).unref();
  return {
    /** Whether a command is likely to succeed. */
    isUp: () => redis.status === 'ready' && failures < failuresInARow,
    succeed(): void {
      if (failures < failuresInARow) failures = 0;
    },
    fail: (error: unknown) => fail(error),
    close: () => clearInterval(probing),
  };
}

export const isMoved = (error: unknown) => error instanceof Error && error.message.startsWith('MOVED ');

import type { IncomingMessage } from 'node:http';
import { createRanking, overloadTargets } from '@latchkey/shared/http';
import { lineLimitMs } from './forwarding.ts';

/**
 * How long a request may expect to wait for a connection to a service, in milliseconds.
 *
 * The event loop of a gateway is on time while the services behind it are the slow part: then the queue is that of requests without a
 * connection. With `OVERLOAD_DELAY_MS` it is kept as short as that of the event loop, for the requests that may be refused at all.
 *
 * @param overloadDelay the value of `OVERLOAD_DELAY_MS`
 */
export function limitExpectedWait(overloadDelay: number | 'off'): (request: IncomingMessage) => number {
  if (overloadDelay === 'off') return () => lineLimitMs;
  const shortMs = Math.min(lineLimitMs, overloadDelay * overloadTargets);
  const rankOf = createRanking(false);
  return (request) => {
    const rank = rankOf(request);
    return rank === 'usual' || rank === 'late' ? shortMs : lineLimitMs;
  };
}

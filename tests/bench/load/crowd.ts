import { nowSeconds, viewerToken } from '@latchkey/support/tokens';
import { contentId, leaseId, popularContentId, viewerId } from '../population.ts';
import type { OpenOrder, RunOrder, RunResult } from './order.ts';
import { monotonicMs } from './order.ts';
import { byTicks, oneByOne } from './pace.ts';
import { createTally, type Tally } from './tally.ts';
import { ViewerSocket } from './viewer-socket.ts';

/** Below the backlog of a listening socket (511 in Node), so that no connection is refused because many come at once. */
const connectedAtOnce = 100;
/** After the last request. Players have given up by then. */
const patienceMs = 10_000;
/** Longer than the longest measurement. */
const tokenLifeSeconds = 7_200;

/** Many viewers, each with its own connection, token and lease. */
export interface Crowd {
  run(order: RunOrder): Promise<RunResult>;
  close(): void;
}

/** @throws Error if a connection is refused */
export async function openCrowd(order: OpenOrder): Promise<Crowd> {
  let tallies = createTallies();
  const viewers: ViewerSocket[] = [];
  for (let n = 0; n < order.viewers; n++) {
    const url = new URL(order.urls[n % order.urls.length] ?? '');
    const isPopular = contentId(n, order.population) === popularContentId;
    viewers.push(
      new ViewerSocket({
        url,
        request: requestOf(n, url, order),
        now: monotonicMs,
        onEnd: (asked) => tallies[isPopular ? 'popular' : 'others'].add(asked),
      }),
    );
  }
  for (let from = 0; from < viewers.length; from += connectedAtOnce)
    await Promise.all(viewers.slice(from, from + connectedAtOnce).map((viewer) => viewer.connect()));

  let turn = 0;
  return {
    async run({ requests, ratePerSecond, apart = false }) {
      tallies = createTallies();
      const cpuBefore = process.cpuUsage();
      const startedAtMs = monotonicMs();
      const pace = apart ? oneByOne : byTicks;
      await pace(requests, ratePerSecond, () => viewers[turn++ % viewers.length]?.ask());
      const seconds = (monotonicMs() - startedAtMs) / 1_000;
      const { user, system } = process.cpuUsage(cpuBefore);
      await untilAnswered(viewers);
      const { popular, others } = tallies;
      return {
        requests,
        seconds,
        latency: others.latency(),
        popularLatency: popular.latency(),
        statuses: others.statuses(),
        popularStatuses: popular.statuses(),
        lastPopularServedSentAtMs: popular.lastServedSentAtMs(),
        ownCpuShare: (user + system) / 1e6 / seconds,
      };
    },
    close() {
      for (const viewer of viewers) viewer.close();
    },
  };
}

function createTallies(): Record<'popular' | 'others', Tally> {
  return { popular: createTally(), others: createTally() };
}

function requestOf(n: number, url: URL, order: OpenOrder): Buffer {
  const { population, tokenSecret, internalSecret, namesLease } = order;
  const token = viewerToken(tokenSecret, viewerId(n, population), { exp: nowSeconds() + tokenLifeSeconds });
  const lines = [
    `GET /keys/${contentId(n, population)}/0 HTTP/1.1`,
    `host: ${url.host}`,
    `authorization: Bearer ${token}`,
    ...(namesLease ? [`x-lease-id: ${leaseId(n)}`] : []),
    ...(internalSecret ? [`x-latchkey-secret: ${internalSecret}`] : []),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
}

async function untilAnswered(viewers: readonly ViewerSocket[]): Promise<void> {
  const limitMs = monotonicMs() + patienceMs;
  while (viewers.some(({ waiting }) => waiting > 0)) {
    if (monotonicMs() > limitMs) for (const viewer of viewers) if (viewer.waiting > 0) viewer.giveUp();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

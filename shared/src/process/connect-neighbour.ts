import { lookup } from 'node:dns/promises';
import type { Clock } from '../clock/index.ts';
import { createNeighbourClient, type NeighbourClient } from '../internal/index.ts';
import type { Shutdown } from '../lifecycle/index.ts';
import type { OperatorLog } from '../log/index.ts';
import type { Metrics } from '../metrics/index.ts';
import { createUpstream } from '../upstream/index.ts';

/** To each address of a neighbour: questions are short, and most are answered by the cache. */
const connections = 32;

export interface NeighbourAddress {
  name: string;
  urls: readonly string[];
  secret: string;
}

/** A client of a neighbour, closed with the process. The neighbour need not be there yet. */
export function connectNeighbour(
  { name, urls, secret }: NeighbourAddress,
  { clock, log, metrics, shutdown }: { clock: Clock; log: OperatorLog; metrics: Metrics; shutdown: Shutdown },
): NeighbourClient {
  const upstream = createUpstream({
    urls,
    lookup: async (hostname) => (await lookup(hostname, { all: true })).map(({ address }) => address),
    clock,
    connections,
    onFault: (error) => log.warn(`${name} cannot be found`, { error }),
  });
  shutdown.add(`connections to ${name}`, 1_000, () => upstream.close());
  return createNeighbourClient({
    name,
    upstream,
    secret,
    onFault: (_, error) => {
      metrics.upstreamErrors.inc({ upstream: name });
      log.warn(`${name} did not answer`, { error });
    },
  });
}

import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createSystemClock } from '../clock/index.ts';
import { type App, createHost } from '../http/index.ts';
import { addNeighbourGate, createNeighbourClient, type NeighbourClient } from '../internal/index.ts';
import { createMetrics } from '../metrics/index.ts';
import { createUpstream } from '../upstream/index.ts';

const secret = 'the internal secret of tests, 32 octets or more';

/** A neighbour's internal routes on a host of their own, behind the gate, and a client that asks them over HTTP. */
export async function serveNeighbour(
  mount: (app: App) => void,
): Promise<{ client: NeighbourClient; close(): Promise<void> }> {
  const silent = () => {};
  const app = createHost({
    randomId: randomUUID,
    clientIpOf: () => '127.0.0.1',
    requestLog: null,
    operatorLog: { info: silent, warn: silent, error: silent },
    metrics: createMetrics(),
  });
  addNeighbourGate(app, secret);
  mount(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const upstream = createUpstream({
    urls: [`http://127.0.0.1:${port}`],
    lookup: async () => [],
    clock: createSystemClock(),
    connections: 8,
    onFault: silent,
  });
  return {
    client: createNeighbourClient({ name: 'the neighbour', upstream, secret, onFault: silent }),
    async close() {
      await upstream.close();
      await app.close();
    },
  };
}

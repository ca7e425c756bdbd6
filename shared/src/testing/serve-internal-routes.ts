import type { AddressInfo } from 'node:net';
import type { App } from '../http/index.ts';
import { createInternalClient, createInternalGate, type InternalClient } from '../internal/index.ts';
import { createUpstream } from '../upstream/index.ts';
import { createSilentHost } from './silent-host.ts';

const ownSecret = 'the internal secret of tests, 32 bytes or more';
/** Tests with it check the answers, not their speed. */
const answerTimeoutMs = 60_000;

/** Routes on a separate host, behind the gate that every service has. */
export async function serveBehindGate(
  secret: string,
  mount: (app: App) => void,
): Promise<{ url: string; close(): Promise<void> }> {
  const app = createSilentHost();
  createInternalGate([secret]).addTo(app);
  mount(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    close: () => app.close(),
  };
}

/** A service's internal routes, and a client that calls them over HTTP. */
export async function serveInternalRoutes(
  mount: (app: App) => void,
): Promise<{ client: InternalClient; close(): Promise<void> }> {
  const onFault = () => {};
  const served = await serveBehindGate(ownSecret, mount);
  const upstream = createUpstream({
    urls: [served.url],
    lookup: async () => [],
    connections: 8,
    onFault,
  });
  return {
    client: createInternalClient({
      name: 'the other service',
      upstream,
      secret: ownSecret,
      answerTimeoutMs,
      onFault,
    }),
    async close() {
      await upstream.close();
      await served.close();
    },
  };
}

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inject } from 'vitest';
import { bridgeAddress } from './containers.ts';

/**
 * Lets a server of a test listen on a free port of an address that the tested servers reach: loopback, or the bridge that every container
 * can reach.
 *
 * @returns its origin, and what stops it
 */
export async function listenForServers(server: Server): Promise<{ origin: string; close(): void }> {
  const address = inject('containersOf') === null ? '127.0.0.1' : await bridgeAddress('bridge');
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, address, resolve));
  return {
    origin: `http://${address}:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

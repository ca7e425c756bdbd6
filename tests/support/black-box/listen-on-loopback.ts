import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Lets a server listen on a free port, of the loopback interface by default. @returns its base URL, and what stops it */
export async function listenOnLoopback(
  server: Server,
  address = '127.0.0.1',
): Promise<{ origin: string; close(): void }> {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, address, resolve));
  return {
    origin: `http://${address}:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

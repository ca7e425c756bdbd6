import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP server on the loopback interface. */
export interface LoopbackServer {
  /** Scheme, host and port, as a browser sends it in `Origin`. */
  readonly origin: string;
  close(): Promise<void>;
}

/**
 * @param port 0 for a free one
 * @throws Error if the port is taken
 */
export async function listenOnLoopback(
  port: number,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<LoopbackServer> {
  const server = createServer(answer);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'EADDRINUSE') return reject(cause);
      reject(new Error(`port ${port} is taken: choose another with --port`, { cause }));
    });
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The path of a request, decoded and without its query; empty if it cannot be decoded. */
export function readPath(target = '/'): string {
  try {
    return decodeURIComponent(target.split('?')[0] ?? '');
  } catch {
    return '';
  }
}

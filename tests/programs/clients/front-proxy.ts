import { createServer, request } from 'node:http';
import { listenOnLoopback } from '@latchkey/support/black-box/listen-on-loopback';

/** A reverse proxy whose address is known before the server behind it is. So the server can be told its own `PUBLIC_URL`. */
export interface FrontProxy {
  readonly origin: string;
  /** @param url of the server behind it */
  leadTo(url: string): void;
  close(): void;
}

export async function startFrontProxy(): Promise<FrontProxy> {
  let target: URL | null = null;
  const server = createServer((incoming, outgoing) => {
    if (!target) return void outgoing.writeHead(502).end();
    const { hostname, port } = target;
    const { method, headers, url: path } = incoming;
    const forwarded = request({ hostname, port, method, headers, path }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  return {
    ...(await listenOnLoopback(server)),
    leadTo(url) {
      target = new URL(url);
    },
  };
}

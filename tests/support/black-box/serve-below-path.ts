import { createServer, request } from 'node:http';
import { pipeline } from 'node:stream';
import { afterAll } from 'vitest';
import { listenOnLoopback } from './listen-on-loopback.ts';

/**
 * Starts a proxy that serves a server below a path and strips that path, until the end of the file's last test: nginx with `location /path/ {
 * proxy_pass http://server/; }`. It answers 404 to all other paths, as the site whose host it shares.
 *
 * @param path with a slash at its start and none at its end
 * @returns the URL of the server behind it, with the path
 */
export async function serveBelowPath(path: string, server: string): Promise<string> {
  const proxy = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming;
    if (!url.startsWith(`${path}/`)) return outgoing.writeHead(404).end();
    const forwarded = request(`${server}${url.slice(path.length)}`, { method, headers }, (answer) => {
      // The page was closed meanwhile.
      if (outgoing.destroyed) return void answer.destroy();
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      pipeline(answer, outgoing, () => {});
    });
    pipeline(incoming, forwarded, () => {});
    forwarded.on('error', () => outgoing.destroy());
  });
  const { origin, close } = await listenOnLoopback(proxy);
  afterAll(close);
  return `${origin}${path}`;
}

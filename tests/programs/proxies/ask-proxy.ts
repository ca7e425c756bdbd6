import { type IncomingMessage, request as plainRequest } from 'node:http';
import { Agent, request } from 'node:https';
import { hostName } from './certificate.ts';
import type { ProxyProcess } from './proxy-process.ts';

export interface Question {
  method?: string;
  /** Sent unchanged, without normalization. */
  path: string;
  /** Another loopback address than the proxy's, so that the two can be distinguished. */
  from: string;
  headers?: Record<string, string>;
  body?: string;
}

/** An answer as it came over the wire. */
export interface Reply {
  status: number;
  /** Every header, lower-case, in order; one that came twice is here twice. */
  headers: [name: string, value: string][];
  bytes: Buffer;
}

export function valuesOf({ headers }: Pick<Reply, 'headers'>, wanted: string): string[] {
  return headers.filter(([name]) => name === wanted).map(([, value]) => value);
}

/** Asks the proxy over TLS, as the host that its configuration serves. Connections are kept for later questions. */
export function createAsker(proxy: ProxyProcess): {
  ask(question: Question): Promise<Reply>;
  /** The answer's head; its body follows. */
  open(question: Question): Promise<IncomingMessage>;
  close(): void;
} {
  const agent = new Agent({ keepAlive: true, ca: proxy.certificate, servername: hostName });
  const open = ({ method = 'GET', path, from, headers, body }: Question) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const sent = request(
        {
          agent,
          host: '127.0.0.1',
          port: proxy.httpsPort,
          localAddress: from,
          method,
          path,
          headers: { host: hostName, ...length, ...headers },
        },
        resolve,
      );
      sent.once('error', reject);
      sent.end(body);
    });
  return { open, ask: async (question) => read(await open(question)), close: () => agent.destroy() };
}

/** Asks the proxy without TLS. */
export function askPlain(proxy: ProxyProcess, path: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: proxy.httpPort,
      path,
      headers: { host: hostName },
      agent: false,
    };
    plainRequest(options as never, (response) => read(response).then(resolve, reject))
      .once('error', reject)
      .end();
  });
}

async function read(response: IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const raw = response.rawHeaders;
  const headers = Array.from({ length: raw.length / 2 }, (_, n): [string, string] => [
    (raw[2 * n] ?? '').toLowerCase(),
    raw[2 * n + 1] ?? '',
  ]);
  return { status: response.statusCode ?? 0, headers, bytes: Buffer.concat(chunks) };
}

import { EventEmitter } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { listenOnLoopback } from '@latchkey/support/black-box/listen-on-loopback';

/** A request of a browser, and its answer. */
export interface WireRequest {
  readonly method: string;
  readonly host: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** As text; requests of players are small. */
  readonly body: string;
  /** When it arrived, in ms of `performance.now()`. */
  readonly atMs: number;
  /** Of the answer; undefined if there is none, as for a request that was cut. */
  status?: number;
  answerHeaders?: IncomingHttpHeaders;
  /** When all of the answer had been passed on; undefined for what was cut or given up. */
  doneMs?: number;
}

type Which = (request: WireRequest) => boolean;

/**
 * Everything between one browser and the servers, as a proxy of that browser: it gives servers the names that pages know them
 * by, sees every request with its headers, and can drop any request or answer.
 */
export interface Wire {
  /** For the proxy setting of a browser context. */
  readonly proxy: string;
  /** Every request so far, in the order of their arrival. */
  readonly requests: readonly WireRequest[];
  /**
   * From now on the connection of such requests is closed without an answer, as if the server were down.
   *
   * @returns ends it
   */
  cut(which: Which): () => void;
  /**
   * From now on such requests reach their server, and its answers do not reach the browser.
   *
   * @returns ends it
   */
  withhold(which: Which): () => void;
  /**
   * From now on such requests are answered with this status and these headers besides the server's own.
   *
   * @returns ends it
   */
  answer(which: Which, status: number, headers: Readonly<Record<string, string>>): () => void;
  /** The next such request; undefined if none arrives within the time. */
  next(which: Which, withinMs: number): Promise<WireRequest | undefined>;
  close(): void;
}

/** The least `Retry-After` of a 503. */
const retryAfterMs = 1_000;

/**
 * @param servers base URL (`http:`) by host name
 * @param tries how often a request is sent at most where the server's own answer is 503; the browser gets the last answer
 */
export async function openWire(servers: Readonly<Record<string, string>>, tries = 1): Promise<Wire> {
  const requests: WireRequest[] = [];
  const arrivals = new EventEmitter();
  const cuts = new Set<Which>();
  const withheld = new Set<Which>();
  const answers = new Set<{ which: Which; status: number; headers: Readonly<Record<string, string>> }>();

  const proxy = createServer(async (incoming, outgoing) => {
    const asked = await takeDown(incoming);
    requests.push(asked);
    arrivals.emit('request', asked);
    const server = servers[asked.host];
    if (server === undefined || [...cuts].some((which) => which(asked))) return void outgoing.destroy();
    forward(asked, new URL(asked.path, server), outgoing, tries);
  });

  function forward(asked: WireRequest, url: URL, outgoing: ServerResponse, triesLeft: number): void {
    const { method, headers } = asked;
    const forwarded = request(url, { method, headers });
    // If the browser leaves, the server still gets the request.
    forwarded.on('error', () => outgoing.destroy());
    forwarded.on('response', async (answer) => {
      if (answer.statusCode === 503 && triesLeft > 1) {
        answer.resume();
        await sleep(retryAfterMs);
        return forward(asked, url, outgoing, triesLeft - 1);
      }
      const replaced = [...answers].find(({ which }) => which(asked));
      asked.status = replaced?.status ?? answer.statusCode ?? 0;
      asked.answerHeaders = answer.headers;
      if ([...withheld].some((which) => which(asked))) return void answer.resume();
      const added = Object.entries(replaced?.headers ?? {}).flat();
      outgoing.writeHead(asked.status, [...answer.rawHeaders, ...added]);
      try {
        await pipeline(answer, outgoing);
        asked.doneMs = performance.now();
      } catch {
        // Either side has left.
      }
    });
    forwarded.end(asked.body);
  }
  const { origin, close } = await listenOnLoopback(proxy);

  return {
    proxy: origin,
    requests,
    cut(which) {
      cuts.add(which);
      return () => cuts.delete(which);
    },
    withhold(which) {
      withheld.add(which);
      return () => withheld.delete(which);
    },
    answer(which, status, headers) {
      const replaced = { which, status, headers };
      answers.add(replaced);
      return () => answers.delete(replaced);
    },
    next: (which, withinMs) => nextArrival(arrivals, which, withinMs),
    close,
  };
}

/** A request to a proxy has the whole URL (RFC 9112 section 3.2.2). */
async function takeDown(incoming: IncomingMessage): Promise<WireRequest> {
  const atMs = performance.now();
  const { host, pathname, search } = new URL(incoming.url ?? '', 'http://nowhere.invalid');
  let body = '';
  for await (const chunk of incoming.setEncoding('utf8')) body += chunk;
  const { 'proxy-connection': _, ...headers } = incoming.headers;
  return { method: incoming.method ?? '', host, path: `${pathname}${search}`, headers, body, atMs };
}

function nextArrival(
  arrivals: EventEmitter,
  which: Which,
  withinMs: number,
): Promise<WireRequest | undefined> {
  return new Promise((resolve) => {
    const settle = (found?: WireRequest) => {
      clearTimeout(timer);
      arrivals.off('request', look);
      resolve(found);
    };
    const look = (asked: WireRequest) => {
      if (which(asked)) settle(asked);
    };
    const timer = setTimeout(settle, withinMs);
    arrivals.on('request', look);
  });
}

import { createConnection, type Socket } from 'node:net';
import { monotonicMs } from '../load/order.ts';

/** The end of one request. Times are on the clock of `monotonicMs`. */
export interface Ended {
  wantedAtMs: number;
  endedAtMs: number;
  /** The status, or `broken`, or `unanswered`. */
  outcome: string;
  /** The answer, head and body. */
  text: string;
}

interface Waiting {
  wantedAtMs: number;
  resolve: (ended: Ended) => void;
}

/** A viewer with a connection of its own, opened by the first request, who sends one request at a time, as a player does over HTTP/1.1. */
export class EventViewer {
  readonly #host: string;
  readonly #port: number;
  readonly #token: string;
  #socket: Socket | null = null;
  #received = '';
  #waiting: Waiting | null = null;
  leaseId = '';

  /** @param token empty for a viewer who sends none */
  constructor(url: string, token: string) {
    const { hostname, port } = new URL(url);
    this.#host = hostname;
    this.#port = Number(port);
    this.#token = token;
  }

  get isWaiting(): boolean {
    return this.#waiting !== null;
  }

  /** Creates a lease, and keeps its id for later key requests. */
  async createLease(contentId: string, wantedAtMs: number): Promise<Ended> {
    const ended = await this.#send('POST /keys/leases', JSON.stringify({ contentId }), wantedAtMs);
    this.leaseId = /"id":"([0-9a-f-]{36})"/.exec(ended.text)?.[1] ?? '';
    return ended;
  }

  getKey(contentId: string, epoch: number, wantedAtMs: number): Promise<Ended> {
    return this.#send(`GET /keys/${contentId}/${epoch}`, null, wantedAtMs);
  }

  /** Fetches anything, such as a playlist. */
  get(path: string, wantedAtMs: number): Promise<Ended> {
    return this.#send(`GET ${path}`, null, wantedAtMs);
  }

  /** Ends a request that has no answer. */
  giveUp(): void {
    this.#end('unanswered');
    this.close();
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }

  #send(line: string, body: string | null, wantedAtMs: number): Promise<Ended> {
    const lines = [`${line} HTTP/1.1`, `host: ${this.#host}`];
    if (this.#token !== '') lines.push(`authorization: Bearer ${this.#token}`);
    if (this.leaseId !== '') lines.push(`x-lease-id: ${this.leaseId}`);
    if (body !== null) lines.push('content-type: application/json', `content-length: ${body.length}`);
    return new Promise((resolve) => {
      // A viewer who wants the next key before the last answer sees that one as lost.
      this.#end('unanswered');
      this.#waiting = { wantedAtMs, resolve };
      this.#socket ??= this.#connect();
      this.#socket.write(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
    });
  }

  #connect(): Socket {
    const socket = createConnection({ host: this.#host, port: this.#port, noDelay: true });
    this.#received = '';
    socket.setEncoding('latin1');
    // The outcome is counted when the connection closes.
    socket.on('error', () => {});
    socket.on('data', (text: string) => {
      this.#received += text;
      if (!isWhole(this.#received)) return;
      const [, status = 'broken'] = /^HTTP\/1\.1 (\d{3})/.exec(this.#received) ?? [];
      this.#end(status);
    });
    socket.once('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      this.#end('broken');
    });
    return socket;
  }

  #end(outcome: string): void {
    const text = this.#received;
    const waiting = this.#waiting;
    this.#received = '';
    this.#waiting = null;
    waiting?.resolve({ wantedAtMs: waiting.wantedAtMs, endedAtMs: monotonicMs(), outcome, text });
  }
}

function isWhole(received: string): boolean {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(received)?.[1] ?? 0);
  return received.length >= headEnd + 4 + length;
}

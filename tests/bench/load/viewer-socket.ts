import { createConnection, type Socket } from 'node:net';
import { AnswerReader } from './answer-reader.ts';

/** One request: when the viewer wanted the key, when it was sent and when it ended, on the clock of `now`. */
export interface Asked {
  wantedAtMs: number;
  sentAtMs: number;
  endedAtMs: number;
  outcome: string;
}

export interface ViewerSocketOptions {
  url: URL;
  /** The whole request, which is the same each time. */
  request: Buffer;
  now: () => number;
  onEnd: (asked: Asked) => void;
}

/** A viewer with one keep-alive connection, who sends one request at a time. */
export class ViewerSocket {
  readonly #options: ViewerSocketOptions;
  #socket: Socket | null = null;
  #reader = new AnswerReader();
  /** Keys that are wanted and not answered, oldest first. The first has been requested. */
  readonly #wantedAtMs: number[] = [];
  #sentAtMs = 0;

  constructor(options: ViewerSocketOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#wantedAtMs.length;
  }

  connect(): Promise<void> {
    const { hostname, port } = this.#options.url;
    return new Promise((resolve, reject) => {
      const socket = createConnection({ host: hostname, port: Number(port), noDelay: true });
      this.#socket = socket;
      this.#reader = new AnswerReader();
      socket.once('connect', resolve);
      socket.on('error', reject);
      socket.on('data', (chunk: Buffer) => this.#read(socket, chunk));
      socket.once('close', () => {
        reject(new Error('it was closed'));
        if (this.#socket === socket) this.#lose();
      });
    });
  }

  /** Sends a request now, or once the previous one is answered: behind a slow server a viewer waits for both. */
  ask(): void {
    const { now } = this.#options;
    if (this.#wantedAtMs.push(now()) === 1) this.#send();
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }

  /** Ends all requests that have no answer. */
  giveUp(): void {
    while (this.#wantedAtMs.length > 0) this.#end('unanswered');
    this.close();
  }

  #send(): void {
    this.#sentAtMs = this.#options.now();
    if (this.#socket) this.#socket.write(this.#options.request);
    else
      this.connect().then(
        () => this.#socket?.write(this.#options.request),
        () => {},
      );
  }

  #read(socket: Socket, chunk: Buffer): void {
    let statuses: number[] = [];
    try {
      statuses = this.#reader.push(chunk);
    } catch (error) {
      socket.destroy(error as Error);
    }
    for (const status of statuses) this.#end(String(status));
    if (statuses.length > 0 && this.#wantedAtMs.length > 0) this.#send();
  }

  #end(outcome: string): void {
    const wantedAtMs = this.#wantedAtMs.shift();
    if (wantedAtMs === undefined) return;
    const { now, onEnd } = this.#options;
    onEnd({ wantedAtMs, sentAtMs: this.#sentAtMs, endedAtMs: now(), outcome });
  }

  /** The connection is gone. The request on it is lost. The waiting ones are sent on a new connection. */
  #lose(): void {
    this.#socket = null;
    this.#end('broken');
    if (this.#wantedAtMs.length > 0) this.#send();
  }
}

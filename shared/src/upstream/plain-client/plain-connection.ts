import { connect, type Socket } from 'node:net';
import { type AnswerController, neverSent, type PlainRequest, SocketError } from './plain-request.ts';
import { readAnswer, type UsualAnswer } from './read-answer.ts';
import { type OtherForm, readOtherForm } from './read-other-form.ts';

/** An answer with a key has some 350 bytes. Longer ones come in several reads. */
const readBytes = 4 * 1024;
/** A server may close this long before the time that it names, because its clock began earlier. As in undici. */
const keepAliveMarginMs = 1_000;

/** What a connection needs of its pool. */
export interface ConnectionOwner {
  readonly host: string;
  readonly port: number;
  /** Until a connection must be made. */
  readonly connectTimeoutMs: number;
  /** How long a connection stays open without a request, at most. */
  readonly keepAliveMs: number;
  /** How long an answer of another form may pause. */
  readonly bodyTimeoutMs: number;
  /** It can take another request. */
  onIdle(connection: PlainConnection): void;
  onClosed(connection: PlainConnection): void;
  /** Whether an answer from there has repeated the id of its request before. */
  repeatsIds(): boolean;
  /** The first answer on a connection has or has not repeated the id of its request. */
  onFirstAnswer(repeatsId: boolean): void;
}

/**
 * A connection that carries one request at a time. Requests are not pipelined: a slow answer would hold up the others, a viewer who leaves
 * would end them, and one answer too many would shift all that follow.
 *
 * An answer must repeat the id of its request. Otherwise a surplus answer that arrives after the next request was sent would give its key to
 * the wrong viewer. The only exception is the first answer on a new connection to an address that has never repeated an id: something between
 * may change ids, as Envoy does. Such a connection is not used again, and undici sends the next requests.
 */
export class PlainConnection implements AnswerController {
  readonly #owner: ConnectionOwner;
  readonly #socket: Socket;
  #request: PlainRequest | null;
  /** Whether the request has been sent. */
  #isSent = false;
  #received = '';
  #isReused = false;
  #isClosed = false;
  /** What the other side said last of how long it keeps the connection. */
  #keepAlive: string | string[] | undefined;
  /** Gets what arrives, once the answer is of another form. */
  #otherForm: OtherForm | null = null;

  /** @param request the first one, which waits until the connection is made */
  constructor(owner: ConnectionOwner, request: PlainRequest) {
    this.#owner = owner;
    this.#request = request;
    const { host, port } = owner;
    const callback = (length: number, buffer: Buffer) => {
      this.#onBytes(buffer.toString('latin1', 0, length));
      return true;
    };
    this.#socket = connect({
      host,
      port,
      noDelay: true,
      // Into one buffer each time, which takes less than a stream of new ones.
      onread: {
        buffer: Buffer.allocUnsafeSlow(readBytes),
        callback: callback as (length: number, buffer: Uint8Array) => boolean,
      },
    });
    this.#watch();
  }

  /** Sends a request on a connection that is idle. */
  send(request: PlainRequest): void {
    this.#request = request;
    this.#begin(request);
  }

  /** Ends the connection, and with it the request that it carries. */
  abort(cause: Error): void {
    this.#close(cause);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  #watch(): void {
    const socket = this.#socket;
    const { connectTimeoutMs, keepAliveMs } = this.#owner;
    socket.setTimeout(connectTimeoutMs);
    socket.on('timeout', () => {
      if (!socket.connecting) {
        // A request in progress has the time limits of its sender, but for the pauses of a long answer.
        if (this.#request === null || this.#otherForm) this.#close(new SocketError());
        return;
      }
      // After a turn in which a connection that was made meanwhile is noticed: this process itself may have been blocked.
      setImmediate(() => {
        if (socket.connecting) this.#close(neverSent(`no connection within ${connectTimeoutMs} ms`));
      });
    });
    socket.on('connect', () => {
      socket.setTimeout(keepAliveMs);
      if (this.#request) this.#begin(this.#request);
    });
    socket.on('error', (error) => this.#close(error));
    // An answer of unknown length is complete then.
    const onEnd = () => (this.#otherForm ? this.#otherForm.end() : this.#close(new SocketError()));
    socket.on('end', onEnd);
    socket.on('close', onEnd);
  }

  #begin(request: PlainRequest): void {
    const { handler } = request;
    try {
      handler.onRequestStart(this);
    } catch (error) {
      // Nothing was sent, so another request can use the connection.
      this.#request = null;
      this.#owner.onIdle(this);
      handler.onResponseError(this, error as Error);
      return;
    }
    if (this.#isClosed) return;
    this.#isSent = true;
    // As Latin-1, so that no character becomes two bytes.
    this.#socket.write(request.head, 'latin1');
  }

  #onBytes(bytes: string): void {
    if (this.#isClosed) return;
    if (this.#otherForm) {
      this.#otherForm.push(Buffer.from(bytes, 'latin1'));
      return;
    }
    const request = this.#request;
    // Bytes without a request belong to no one.
    if (!request || !this.#isSent) {
      this.#close(new SocketError());
      return;
    }
    this.#received = this.#received === '' ? bytes : this.#received + bytes;
    let answer: UsualAnswer | 'more' | 'other';
    try {
      answer = readAnswer(this.#received);
    } catch (error) {
      this.#close(error as Error);
      return;
    }
    if (answer === 'other') this.#readOtherForm(request);
    else if (answer !== 'more') this.#onAnswer(request, answer);
  }

  #onAnswer({ id, handler }: PlainRequest, { status, headers, body, keepsConnection }: UsualAnswer): void {
    const repeatsId = headers['x-request-id'] === id;
    if (!this.#mayBelong(repeatsId)) {
      this.#close(new SocketError('the answer belongs to another request'));
      return;
    }
    this.#request = null;
    this.#isSent = false;
    this.#received = '';
    this.#isReused = true;
    if (repeatsId && keepsConnection && this.#isKept(headers['keep-alive'])) this.#owner.onIdle(this);
    else this.#close(new SocketError());
    handler.onWholeAnswer(status, headers, body);
  }

  /** Whether an answer can be the one to the request in progress. */
  #mayBelong(repeatsId: boolean): boolean {
    if (this.#isReused) return repeatsId;
    const isFreeToDiffer = !this.#owner.repeatsIds();
    this.#owner.onFirstAnswer(repeatsId);
    return repeatsId || isFreeToDiffer;
  }

  /** Follows `Keep-Alive: timeout=SECONDS`. @returns whether the connection can be used again */
  #isKept(keepAlive: string | string[] | undefined): boolean {
    if (keepAlive === this.#keepAlive) return true;
    this.#keepAlive = keepAlive;
    const [, seconds] = /timeout=(\d{1,6})/i.exec(String(keepAlive)) ?? [];
    const { keepAliveMs } = this.#owner;
    const ms =
      seconds === undefined
        ? keepAliveMs
        : Math.min(keepAliveMs, Number(seconds) * 1_000 - keepAliveMarginMs);
    if (ms > 0) this.#socket.setTimeout(ms);
    return ms > 0;
  }

  /** The rest is read by Node's parser, and the connection is not used again. */
  #readOtherForm({ id, handler }: PlainRequest): void {
    const bytes = Buffer.from(this.#received, 'latin1');
    this.#received = '';
    this.#socket.setTimeout(this.#owner.bodyTimeoutMs);
    this.#otherForm = readOtherForm({
      handler,
      connection: this,
      isExpected: (headers) => this.#mayBelong(headers['x-request-id'] === id),
      onComplete: () => {
        if (this.#isClosed) return false;
        this.#request = null;
        this.#close(new SocketError());
        return true;
      },
      onFailed: (error) => this.#close(error),
    });
    this.#otherForm.push(bytes);
  }

  #close(cause: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const request = this.#request;
    this.#request = null;
    this.#socket.destroy();
    this.#owner.onClosed(this);
    this.#otherForm?.fail(cause);
    request?.handler.onResponseError(this, cause);
  }
}

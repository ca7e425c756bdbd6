import type { IncomingHttpHeaders } from 'node:http';

/** What a handler can do with the answer that it gets. */
export interface AnswerController {
  /** Ends the request and its connection. The handler then gets this error. */
  abort(cause: Error): void;
  pause(): void;
  resume(): void;
}

/** Notified of how a request goes. The calls are those of undici's handlers, and one for an answer that is there as a whole. */
export interface AnswerHandler {
  /** Called before the request is sent. If it throws, the request is not sent and `onResponseError` gets the error. */
  onRequestStart(controller: AnswerController): void;
  /** A small answer has come whole. Nothing follows. @param body one byte a character (Latin-1) */
  onWholeAnswer(status: number, headers: IncomingHttpHeaders, body: string): void;
  /** An answer of another form begins. */
  onResponseStart(controller: AnswerController, status: number, headers: IncomingHttpHeaders): void;
  onResponseData(controller: AnswerController, chunk: Buffer): void;
  onResponseEnd(): void;
  onResponseError(controller: AnswerController, error: Error): void;
}

/** A `GET` without a body. */
export interface PlainRequest {
  /** Of the header `x-request-id`. An answer repeats it. */
  id: string;
  /** All bytes that are sent, one a character (Latin-1). */
  head: string;
  handler: AnswerHandler;
}

/** What no value of a header may have (RFC 9110 section 5.5), line ends first of all. */
const forbidden = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * The head of a `GET`, with the first lines as undici writes them.
 *
 * @param path without spaces and controls
 * @param headers names and values in turn; the names are in order already
 * @throws Error if a value could end its line
 */
export function requestHead(host: string, path: string, headers: readonly string[]): string {
  let head = `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  for (let index = 0; index < headers.length; index += 2) {
    const value = headers[index + 1] as string;
    if (forbidden.test(value)) throw new Error(`the value of ${headers[index]} cannot be sent`);
    head += `${headers[index]}: ${value}\r\n`;
  }
  return `${head}\r\n`;
}

/** Represents a request that was not sent. `neverReached` knows the system call. */
export function neverSent(why: string): Error {
  return Object.assign(new Error(why), { code: 'ETIMEDOUT', syscall: 'connect' });
}

/** Represents a connection that ended before the answer was complete. Its name and first message are undici's: the operator's log has one kind. */
export class SocketError extends Error {
  override name = 'SocketError';
  /** `brokeBeforeAnswer` knows it. */
  readonly code = 'ECONNRESET';

  constructor(message = 'other side closed') {
    super(message);
  }
}

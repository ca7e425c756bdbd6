import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { request } from '../../net/index.ts';
import { type AnswerController, type AnswerHandler, SocketError } from './plain-request.ts';

interface OtherFormOptions {
  handler: AnswerHandler;
  /** The connection from which the bytes come. */
  connection: AnswerController;
  /** Whether an answer with these headers can be the one to the request. */
  isExpected(headers: IncomingHttpHeaders): boolean;
  /** The answer has been handed over as a whole. @returns false if the request has ended before */
  onComplete(): boolean;
  onFailed(error: Error): void;
}

/** Takes the bytes of a connection, from the first one of an answer on. */
export interface OtherForm {
  push(bytes: Buffer): void;
  /** The other side has ended the connection. An answer without a length is then complete. */
  end(): void;
  /** The connection is lost. */
  fail(error: Error): void;
}

/**
 * Reads an answer of any valid form with Node's own client, which gets the bytes as if it had sent the request: interim answers, transfer
 * codings, bodies of unknown length, large ones. Services give none of them to requests for keys, so it need not be fast.
 */
export function readOtherForm(options: OtherFormOptions): OtherForm {
  const { connection, onFailed } = options;
  const stream = new Duplex({
    read: () => connection.resume(),
    // The request has been sent already.
    write: (_chunk, _encoding, done) => done(),
  });
  // The request reports it.
  stream.on('error', () => {});
  const asked = request({ createConnection: () => stream, path: '/' });
  asked.on('error', onFailed);
  asked.on('response', (response) => handOver(response, options));
  asked.end();
  return {
    push(bytes) {
      if (!stream.push(bytes)) connection.pause();
    },
    end: () => void stream.push(null),
    fail: (error) => void stream.destroy(error),
  };
}

function handOver(response: IncomingMessage, options: OtherFormOptions): void {
  const { handler, connection, isExpected, onComplete, onFailed } = options;
  response.on('error', onFailed);
  const headers = distinctHeaders(response.rawHeaders);
  if (!isExpected(headers)) {
    onFailed(new SocketError('the answer belongs to another request'));
    return;
  }
  const controller: AnswerController = {
    abort: (cause) => connection.abort(cause),
    pause: () => response.pause(),
    resume: () => response.resume(),
  };
  handler.onResponseStart(controller, response.statusCode ?? 0, headers);
  response.on('data', (chunk: Buffer) => handler.onResponseData(controller, chunk));
  response.on('end', () => {
    if (onComplete()) handler.onResponseEnd();
  });
}

/** Names in lower case; a repeated header is a list. */
function distinctHeaders(raw: readonly string[]): IncomingHttpHeaders {
  const headers = new Map<string, string | string[]>();
  for (let index = 0; index < raw.length; index += 2) {
    const name = (raw[index] as string).toLowerCase();
    const value = raw[index + 1] as string;
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(headers);
}

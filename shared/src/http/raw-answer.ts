import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { AppError, toProblem } from '../errors/errors.ts';
import { type RequestLog, redactPath } from '../log/index.ts';
import { STATUS_CODES } from '../net/index.ts';

/** The CORS headers of an answer, by its request. Of a request that could not be parsed only the origin is known. */
export type CrossOriginHeaders = (
  request: Pick<IncomingMessage, 'headers'> & { url?: string | undefined },
) => Readonly<Record<string, string>>;

/** Dependencies of a refusal that never becomes a request of the framework. */
export interface RawAnswers {
  requestLog: RequestLog | null;
  randomId: () => string;
  clientIpOf: (socket: Socket) => string;
  crossOriginHeaders: CrossOriginHeaders;
}

/** The known parts of the request. */
interface RawRequest {
  method: string;
  path: string;
  origin: string | undefined;
  userAgent: string | null;
}

/**
 * How long the client has to close its side after an answer that ends the connection. Closed at once, the kernel would discard the answer
 * together with bytes of the client that nobody read (RFC 9112 section 9.6).
 */
const lingerMs = 2_000;

/**
 * Ends a connection with its last bytes. Node takes no more care of it: a client that keeps its side open would hold it for the life of the
 * process.
 */
function endWith(socket: Socket, text: string): void {
  socket.end(text);
  // Without a reader, the end of the client's side is never noticed.
  socket.resume();
  const limit = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(limit));
}

/** Answers on the connection itself, closes it, and writes the log line. */
export function answerRaw(
  socket: Socket,
  problem: AppError,
  { method, path, origin, userAgent }: RawRequest,
  { requestLog, randomId, clientIpOf, crossOriginHeaders }: RawAnswers,
  headers: Readonly<Record<string, string>> = {},
): void {
  const requestId = randomId();
  const body = JSON.stringify(toProblem(problem, requestId));
  const all = {
    ...crossOriginHeaders({ url: path, headers: origin === undefined ? {} : { origin } }),
    ...headers,
    'content-type': 'application/problem+json',
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
    connection: 'close',
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  endWith(
    socket,
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}\r\n${head.join('')}\r\n${body}`,
  );
  requestLog?.write({
    requestId,
    method,
    path: redactPath(path),
    route: null,
    status: problem.status,
    durationMs: 0,
    clientIp: clientIpOf(socket),
    userAgent,
    principal: null,
    code: problem.code,
  });
}

/** The methods that some path of this server takes. CONNECT names no path, so no list for one path is right. */
const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/** Answers `CONNECT` with 405. Node would close the connection without an answer, and the log would show nothing. */
export function refuseConnect(server: Server, answers: RawAnswers): void {
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => {});
    const { method = '', url = '', headers } = request;
    const { origin, 'user-agent': userAgent = null } = headers;
    const problem = new AppError('METHOD_NOT_ALLOWED', {
      detail: 'This server is no proxy: it opens no tunnel.',
    });
    answerRaw(socket, problem, { method, path: url, origin, userAgent }, answers, { allow: methods });
  });
}

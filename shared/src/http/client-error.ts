import type { Socket } from 'node:net';
import { AppError, toProblem } from '../errors/index.ts';
import type { RequestLog } from '../log/index.ts';

/** Answers what is not HTTP, or too much of it. There is no request yet, so the answer is written by hand. */
export function answerClientError(requestLog: RequestLog | null, randomId: () => string) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    // The peer hung up: there is nobody to answer.
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const problem =
      error.code === 'HPE_HEADER_OVERFLOW'
        ? new AppError('HEADERS_TOO_LARGE', { detail: 'The headers may have 16384 octets.' })
        : new AppError('VALIDATION_FAILED', { detail: 'This is not a valid HTTP request.' });
    const requestId = randomId();
    const body = JSON.stringify(toProblem(problem, requestId));
    socket.end(
      `HTTP/1.1 ${problem.status} ${problem.status === 431 ? 'Request Header Fields Too Large' : 'Bad Request'}\r\n` +
        `content-type: application/problem+json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
        `x-request-id: ${requestId}\r\nconnection: close\r\n\r\n${body}`,
    );
    requestLog?.write({
      requestId,
      method: '',
      path: '',
      route: null,
      status: problem.status,
      durationMs: 0,
      clientIp: socket.remoteAddress ?? '0.0.0.0',
      userAgent: null,
      principal: null,
      code: problem.code,
    });
  };
}

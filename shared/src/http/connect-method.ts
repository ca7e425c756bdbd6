import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../errors/index.ts';
import { answerRaw, type RawAnswers } from './raw-answer.ts';

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

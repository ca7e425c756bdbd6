import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll } from 'vitest';
import { listenForServers } from './listen-for-servers.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** A server of an application that has playlists. */
export interface PlaylistSource {
  readonly origin: string;
  /** Sets what a path answers. A text is a playlist that may be kept for no time. @returns its URL */
  set(path: string, answer: string | Listener): string;
  /** How often a path was requested. */
  countOf(path: string): number;
  /** The headers of every request. */
  readonly headers: IncomingMessage['headers'][];
}

/** Runs until the file's tests are over. */
export async function startPlaylistSource(): Promise<PlaylistSource> {
  const answers = new Map<string, string | Listener>();
  const counts = new Map<string, number>();
  const headers: IncomingMessage['headers'][] = [];
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    counts.set(path, (counts.get(path) ?? 0) + 1);
    headers.push(request.headers);
    const answer = answers.get(path);
    if (answer === undefined) return void response.writeHead(404).end();
    if (typeof answer !== 'string') return answer(request, response);
    response.writeHead(200, { 'cache-control': 'no-cache' }).end(answer);
  });
  const { origin, close } = await listenForServers(server);
  afterAll(close);
  return {
    origin,
    set(path, answer) {
      answers.set(path, answer);
      return origin + path;
    },
    countOf: (path) => counts.get(path) ?? 0,
    headers,
  };
}

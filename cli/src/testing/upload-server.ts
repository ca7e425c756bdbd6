import { mkdirSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { answerProblem } from './key-server.ts';
import { listen } from './listen.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Answers a request. @returns false to let the server answer */
export type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface UploadServer {
  url: string;
  /** Method and path of every request; a PUT when it begins. */
  seen: string[];
  /** Keys in the bucket, in the order of their arrival. */
  arrived: string[];
  /** `Cache-Control` of the objects in the bucket by their keys. */
  cacheControl: Map<string, string | undefined>;
  /** The bucket, as a folder. */
  bucket: string;
  /** The registered contents by id, with the members that were sent. */
  contents: Map<string, unknown>;
}

/** A key server with its bucket. */
export async function startUploadServer(intercept: Intercept = () => false): Promise<UploadServer> {
  const seen: string[] = [];
  const arrived: string[] = [];
  const cacheControl = new Map<string, string | undefined>();
  const bucket = temporaryFolder();
  const contents = new Map<string, unknown>();
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url: path = '' } = request;
    seen.push(`${method} ${path}`);
    if (intercept(request, response)) return;
    const body = await buffer(request);
    if (method === 'PUT') {
      const file = join(bucket, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, body);
      arrived.push(path.slice(1));
      cacheControl.set(path.slice(1), request.headers['cache-control']);
      return void response.writeHead(200, { etag: '"e"' }).end();
    }
    if (path.startsWith('/keys/')) return void response.end(Buffer.alloc(16, path));
    const sent = body.length > 0 ? JSON.parse(body.toString()) : undefined;
    const contentId = /^\/api\/v1\/content\/([^/]+)$/.exec(path)?.[1] ?? sent?.id;
    if (contentId !== undefined) {
      const before = contents.get(contentId) ?? (method === 'POST' ? { keyPeriods: null } : undefined);
      if (!before) return answerProblem(response, 404, 'CONTENT_NOT_FOUND', 'No such content.');
      const content = { ...before, ...sent };
      contents.set(contentId, content);
      return void response.end(JSON.stringify({ content }));
    }
    if (contents.size === 0) return answerProblem(response, 404, 'CONTENT_NOT_FOUND', 'No such content.');
    const headers = {
      'Content-Type': sent?.contentType,
      ...(sent?.cacheControl && { 'Cache-Control': sent.cacheControl }),
    };
    const expiresAt = new Date(Date.now() + 300_000).toISOString();
    response.end(
      JSON.stringify({ url: `${url}/${sent?.key}`, method: 'PUT', headers, expires_at: expiresAt }),
    );
  };
  const url = await listen((request, response) => void answer(request, response).catch(() => {}));
  return { url, seen, arrived, cacheControl, bucket, contents };
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type LoopbackServer, listenOnLoopback, readPath } from '../src/loopback-server.ts';
import { sendFile } from '../src/send-file.ts';
import type { DemoApi } from './demo-api.ts';

/** The content of the page server, once everything is prepared. */
interface Site {
  readonly api: DemoApi;
  readonly serverUrl: string;
  /** Holds the encrypted presentations, `ts/`, `fmp4/` and `live/`. */
  readonly videoFolder: string;
}

export interface PageServer extends LoopbackServer {
  open(site: Site): void;
}

const pageFolder = fileURLToPath(new URL('./page', import.meta.url));
const hlsFolder = dirname(fileURLToPath(import.meta.resolve('hls.js/dist/hls.min.mjs')));
/** The two requests of the page have some 60 bytes. */
const mostBodyBytes = 1_024;

/**
 * Until `open`, every answer is a 503: the key server needs the page's origin before there is anything to show.
 *
 * @param port 0 for a free one
 */
export async function startPageServer(port: number): Promise<PageServer> {
  let site: Site | undefined;
  const server = await listenOnLoopback(port, (request, response) => {
    const answered = site ? answer(site, server.origin, request, response) : undefined;
    if (!answered) return sendText(response, 503, 'The demonstration is being prepared.');
    answered.catch(() => sendText(response, 500, 'That did not work.'));
  });
  return {
    ...server,
    open: (opened) => {
      site = opened;
    },
  };
}

async function answer(site: Site, origin: string, request: IncomingMessage, response: ServerResponse) {
  const path = readPath(request.url);
  for (const [name, value] of Object.entries(securityHeaders(site))) response.setHeader(name, value);
  if (request.method === 'POST') return answerAct(site, origin, path, request, response);
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return sendText(response, 405, 'GET, HEAD or POST.');
  if (path === '/demo/config') return sendJson(response, 200, JSON.stringify(site.api.describe()));
  if (await sendFile(response, ...locate(site, path))) return;
  sendText(response, 404, 'There is nothing here.');
}

function locate({ videoFolder }: Site, path: string): [folder: string, path: string] {
  if (path === '/') return [pageFolder, '/index.html'];
  if (path === '/hls.mjs') return [hlsFolder, '/hls.min.mjs'];
  if (path.startsWith('/video/')) return [videoFolder, path.slice('/video'.length)];
  return [pageFolder, path];
}

async function answerAct(
  { api }: Site,
  origin: string,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // Other pages of the same browser can reach this port too, and must not act.
  if (request.headers.origin !== origin) return sendText(response, 403, 'Only the page itself may do this.');
  if (Number(request.headers['content-length'] ?? Number.NaN) > mostBodyBytes) {
    return sendText(response, 413, 'That is too long.');
  }
  const body = readObject(await text(request));
  if (path === '/demo/token') {
    const token = await api.issueToken(body.presentation);
    return token
      ? sendJson(response, 200, JSON.stringify(token))
      : sendText(response, 404, 'No such presentation.');
  }
  if (path === '/demo/revoke') {
    const { status, body: answered } = await api.revokeLease(body.leaseId);
    return sendJson(response, status, answered);
  }
  sendText(response, 404, 'There is nothing here.');
}

function readObject(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** The page loads nothing from elsewhere, and connects only to the key server. */
function securityHeaders({ serverUrl }: Site): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "media-src 'self' blob:",
    `connect-src 'self' ${serverUrl}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}

function sendJson(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(body);
}

function sendText(response: ServerResponse, status: number, body: string): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.end(`${body}\n`);
}

import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { refuse, sendJson } from '../token-server/http.ts';
import type { TokenServer } from '../token-server/token-server.ts';
import { type LoopbackServer, listenOnLoopback, readPath } from './loopback-server.ts';
import { securityPolicy } from './security-policy.ts';
import { sendFile } from './send-file.ts';

/** The content of the application, once everything is prepared. */
interface Site {
  readonly tokenServer: TokenServer;
  readonly keyServerUrl: string;
  /** The bucket, if it is known. */
  readonly storeUrl: string | undefined;
  readonly contents: readonly {
    readonly contentId: string;
    readonly title: string;
    readonly playlist: string;
  }[];
  /** The built packages, `player/` and `uploader/`. */
  readonly packagesFolder: string;
  /** The encrypted video, which a CDN would serve. */
  readonly videoFolder: string;
}

export interface SiteServer extends LoopbackServer {
  open(site: Site): void;
}

const here = join(import.meta.dirname, '..');
const hlsFolder = dirname(fileURLToPath(import.meta.resolve('hls.js/dist/hls.min.mjs')));
const pages: Readonly<Record<string, string>> = {
  '/': '/site/index.html',
  '/player/': '/player/index.html',
  '/upload/': '/upload/index.html',
};

/**
 * Until `open`, every answer is a 503: the key server needs the origin of the pages before there is anything to show.
 *
 * @param port 0 for a free one
 */
export async function startSiteServer(port: number): Promise<SiteServer> {
  let answer: TokenServer | undefined;
  const server = await listenOnLoopback(port, (request, response) => {
    if (!answer) return refuse(response, 503, 'NOT_READY', 'The example is being prepared.');
    answer(request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else refuse(response, 500, 'INTERNAL', 'That did not work.');
    });
  });
  return {
    ...server,
    open: (site) => {
      answer = answerWith(site);
    },
  };
}

function answerWith(site: Site): TokenServer {
  const { tokenServer, keyServerUrl, storeUrl, contents } = site;
  const html = Object.values(pages).map((file) => readFileSync(join(here, file), 'utf8'));
  const origins = [keyServerUrl, ...(storeUrl === undefined ? [] : [storeUrl])].map(
    (url) => new URL(url).origin,
  );
  const policy = securityPolicy(html, origins);

  return async (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('content-security-policy', policy);
    response.setHeader('referrer-policy', 'no-referrer');
    response.setHeader('x-content-type-options', 'nosniff');
    if (await tokenServer(request, response)) return true;
    const path = readPath(request.url);
    if (request.method !== 'GET' && request.method !== 'HEAD')
      refuse(response, 405, 'METHOD_NOT_ALLOWED', 'GET or HEAD.');
    else if (path === '/config') sendJson(response, 200, { keyServerUrl, contents });
    else if (!(await sendFile(response, ...locate(site, pages[path] ?? path))))
      refuse(response, 404, 'NOT_FOUND', 'There is nothing here.');
    return true;
  };
}

/** The folder for a path, and the path within it. */
function locate({ packagesFolder, videoFolder }: Site, path: string): [folder: string, path: string] {
  if (path === '/sdk/hls.mjs') return [hlsFolder, '/hls.min.mjs'];
  const [, first = '', rest = ''] = /^\/([^/]*)(\/.*)$/.exec(path) ?? [];
  if (first === 'sdk') return [packagesFolder, rest];
  if (first === 'video') return [videoFolder, rest];
  return ['site', 'player', 'upload'].includes(first) ? [join(here, first), rest] : [here, ''];
}

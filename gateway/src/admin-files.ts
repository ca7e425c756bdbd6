import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import staticFiles from '@fastify/static';
import { AppError } from '@latchkey/shared/errors';
import { type App, isTagNamed, validationFailure } from '@latchkey/shared/http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

/** Where the build of the dashboard is, in the workspace and in an image alike. */
const builtDashboard = fileURLToPath(new URL('../../admin/dist', import.meta.url));

/** Only scripts, styles and calls of this server. No page may frame it, and no text becomes a script. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** A year, the most that caches honour (RFC 9111 has no bound of its own): a file whose name is its hash never changes. */
const foreverCached = 'public, max-age=31536000, immutable';
const revalidated = 'no-cache';

const open = { schema: { hide: true }, config: { access: 'open' as const } };

/**
 * `GET /admin`: the dashboard, as static files. They need no authentication because they hold no data. Every address below
 * `/admin` gets the same page, which reads the address itself.
 *
 * @param publicUrl `PUBLIC_URL`, null if it is not set. If it has a path, a proxy strips that path from each request, and a browser needs it
 * @param folder the built dashboard; without it, `/admin` is a 404 that says so
 */
export async function addAdminFiles(
  app: App,
  publicUrl: string | null,
  folder = builtDashboard,
): Promise<void> {
  const publicPath = publicUrl === null ? '/admin' : new URL(`${publicUrl}/admin`).pathname;
  // The address that a person types.
  app.get('/', open, (_request, reply) => reply.redirect(publicPath, 302));
  if (!existsSync(join(folder, 'index.html'))) return addMissingPage(app);
  const sendPage = createPageSender(join(folder, 'index.html'), publicPath);
  await app.register(async (scope) => {
    // `@fastify/static` refuses a path that leaves the folder with 403. A client needs to know only that the file does not exist.
    scope.setErrorHandler((error: FastifyError) => {
      throw error.statusCode === 403 ? new AppError('NOT_FOUND', { cause: error }) : error;
    });
    await scope.register(staticFiles, {
      root: folder,
      serve: false,
      preCompressed: true,
      cacheControl: false,
      // Nothing asks for a part of these files, and the plugin fails with a 500 for a range that it cannot read.
      acceptRanges: false,
      setHeaders: (reply) => setHeaders(reply as unknown as FastifyReply, foreverCached),
    });
    scope.get('/admin', open, sendPage);
    scope.get<{ Params: { '*': string } }>('/admin/assets/*', open, ({ params }, reply) => {
      // The operating system refuses such a name with an error that would become a 500.
      if (params['*'].includes('\0')) throw validationFailure('/path', 'must not have a NUL character');
      return reply.sendFile(`assets/${params['*']}`);
    });
    scope.get<{ Params: { '*': string } }>('/admin/*', open, (request, reply) => {
      // Addresses of the dashboard have no dot. An address with one means a file, and files are only in assets.
      if (request.params['*'].includes('.')) return reply.callNotFound();
      return sendPage(request, reply);
    });
  });
}

/**
 * Sends the page. The build names its files relative to it (`./assets/…`), which would lead elsewhere from an address such as
 * `/admin/content/film`. So the server writes their full paths. The scripts and styles name further files relative to themselves.
 *
 * @param publicPath the path of `/admin` in a browser
 */
function createPageSender(file: string, publicPath: string) {
  const inAttribute = publicPath.replaceAll('&', '&amp;');
  const page = readFileSync(file, 'utf8').replaceAll('"./assets/', () => `"${inAttribute}/assets/`);
  const etag = `"${hash('sha256', page, 'base64url')}"`;
  return ({ headers }: FastifyRequest, reply: FastifyReply) => {
    setHeaders(reply, revalidated);
    reply.header('etag', etag);
    if (isTagNamed(etag, headers['if-none-match'])) return reply.code(304).send();
    return reply.type('text/html; charset=utf-8').send(page);
  };
}

function setHeaders(reply: FastifyReply, cacheControl: string): void {
  reply
    .header('cache-control', cacheControl)
    .header('content-security-policy', contentSecurityPolicy)
    .header('cross-origin-opener-policy', 'same-origin')
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer');
}

/** For a server that was started without `npm start`: it still serves keys. */
function addMissingPage(app: App): void {
  const detail = 'The dashboard is not built. "npm start" builds it; see the README of the folder admin.';
  for (const path of ['/admin', '/admin/*']) {
    app.get(path, open, () => {
      throw new AppError('NOT_FOUND', { detail });
    });
  }
}

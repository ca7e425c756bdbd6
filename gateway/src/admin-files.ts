import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import staticFiles from '@fastify/static';
import { AppError } from '@latchkey/shared/errors';
import { type App, validationFailure } from '@latchkey/shared/http';
import type { FastifyError, FastifyReply } from 'fastify';

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
 * @param folder the built dashboard; without it, `/admin` is a 404 that says so
 */
export async function addAdminFiles(app: App, folder = builtDashboard): Promise<void> {
  // The address that a person types.
  app.get('/', open, (_request, reply) => reply.redirect('/admin', 302));
  if (!existsSync(join(folder, 'index.html'))) return addMissingPage(app);
  await app.register(async (scope) => {
    // `@fastify/static` refuses a path that leaves the folder with 403. A client needs to know only that nothing is there.
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
      setHeaders: (reply, path) => setHeaders(reply as unknown as FastifyReply, path),
    });
    scope.get('/admin', open, (_request, reply) => reply.sendFile('index.html'));
    scope.get<{ Params: { '*': string } }>('/admin/assets/*', open, ({ params }, reply) => {
      // The operating system refuses such a name with an error that would become a 500.
      if (params['*'].includes('\0')) throw validationFailure('/path', 'must not have a NUL character');
      return reply.sendFile(`assets/${params['*']}`);
    });
    scope.get<{ Params: { '*': string } }>('/admin/*', open, ({ params }, reply) => {
      // Addresses of the dashboard have no dot. An address with one means a file, and files are only in assets.
      if (params['*'].includes('.')) return reply.callNotFound();
      return reply.sendFile('index.html');
    });
  });
}

function setHeaders(reply: FastifyReply, path: string): void {
  reply
    .header('cache-control', /^index\.html/.test(basename(path)) ? revalidated : foreverCached)
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

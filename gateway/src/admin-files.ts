import { fileURLToPath } from 'node:url';
import staticFiles from '@fastify/static';
import { AppError } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';
import type { FastifyError } from 'fastify';

/** Scripts, styles and calls of this server alone; nobody may frame the page. */
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
].join('; ');

/** `GET /admin`: static files without authentication of their own, and with nothing in them to see. */
export async function addAdminFiles(app: App): Promise<void> {
  await app.register(async (scope) => {
    // A path that leaves the folder is refused with 403; here there is only what is there and what is not.
    scope.setErrorHandler((error: FastifyError) => {
      throw error.statusCode === 403 ? new AppError('NOT_FOUND', { cause: error }) : error;
    });
    await scope.register(staticFiles, {
      root: fileURLToPath(new URL('./admin', import.meta.url)),
      prefix: '/admin/',
      index: 'index.html',
      decorateReply: true,
      cacheControl: false,
      setHeaders: (reply) => {
        reply
          .header('cache-control', 'no-cache')
          .header('content-security-policy', contentSecurityPolicy)
          .header('x-content-type-options', 'nosniff')
          .header('referrer-policy', 'no-referrer');
      },
    });
    scope.get('/admin', { schema: { hide: true }, config: { access: 'open' } }, (_request, reply) => {
      reply.sendFile('index.html');
    });
  });
}

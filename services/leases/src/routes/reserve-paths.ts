import { AppError } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';

/** Without these routes, `/keys/:contentId` and `/keys/:contentId/:epoch` would take these paths for contents. */
const leasePaths = ['/keys/leases', '/keys/leases/renew', '/keys/leases/revoke'];
const config = { access: 'open', reserved: true } as const;
const schema = { hide: true };

/** Answers other methods on the lease paths with 405 (RFC 9110 section 15.5.6). */
export function reserveLeasePaths(app: App): void {
  for (const path of leasePaths) {
    app.get(path, { config, schema }, (_request, reply) => {
      reply.header('allow', 'POST');
      throw new AppError('METHOD_NOT_ALLOWED', { detail: 'This path takes POST.' });
    });
  }
}

/** `LEASE_MODE=off`: the lease paths get 404 for every caller and method. */
export function closeLeasePaths(app: App): void {
  for (const url of leasePaths) {
    app.route({
      url,
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      config,
      schema,
      // Before the body is parsed, so that a malformed one gets 404, too.
      onRequest: async () => {
        throw new AppError('NOT_FOUND', { detail: 'Nothing is at this path.' });
      },
      handler: () => {},
    });
  }
}

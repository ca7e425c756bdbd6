import { AppError } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';

/** Beside the key routes, `/keys/:contentId` and `/keys/:contentId/:epoch` would take these paths for content. */
const leasePaths = ['/keys/leases', '/keys/leases/renew', '/keys/leases/revoke'];
const config = { access: 'open', reserved: true } as const;
const schema = { hide: true };

/** Says that the lease paths take POST (RFC 9110 section 15.5.6). */
export function reserveLeasePaths(app: App): void {
  for (const path of leasePaths) {
    app.get(path, { config, schema }, (_request, reply) => {
      reply.header('allow', 'POST');
      throw new AppError('METHOD_NOT_ALLOWED', { detail: 'This path takes POST.' });
    });
  }
}

/** `LEASE_MODE=off`: nothing is at the lease paths, whoever asks and however. */
export function closeLeasePaths(app: App): void {
  for (const url of leasePaths) {
    app.route({
      url,
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      config,
      schema,
      // Before the body is read: a malformed one is no other answer.
      onRequest: async () => {
        throw new AppError('NOT_FOUND', { detail: 'Nothing is at this path.' });
      },
      handler: () => {},
    });
  }
}

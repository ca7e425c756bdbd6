import { AppError } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/**
 * Answers 405 to the other methods of a path. Where this process forwards the other paths of contents, it would forward these methods too,
 * and they would get 404.
 *
 * @param taken the methods that the path has routes for
 */
export function refuseOtherMethods(app: App, url: string, taken: readonly (typeof methods)[number][]): void {
  const allow = taken.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
  app.route({
    method: methods.filter((method) => !taken.includes(method)),
    url,
    config: { access: 'open', reserved: true },
    schema: { hide: true },
    // Before the body is parsed, so that it does not matter.
    onRequest: async (_request, reply) => {
      reply.header('allow', allow);
      throw new AppError('METHOD_NOT_ALLOWED', { detail: `This path takes ${allow}.` });
    },
    handler: () => {},
  });
}

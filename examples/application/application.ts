import fastify, { type FastifyInstance } from 'fastify';
import { createAccess } from './access.ts';
import { addPages, type PagesOptions } from './add-pages.ts';
import { addStudio, type StudioOptions } from './add-studio.ts';
import { addViewing, type ViewingOptions } from './add-viewing.ts';
import { Refusal } from './refusal.ts';
import { bodyOf, text } from './request-schemas.ts';
import type { Sessions } from './sessions.ts';

export interface ApplicationOptions extends PagesOptions, ViewingOptions, StudioOptions {
  /** The origin of the pages, as a browser sends it: scheme, host and port. */
  readonly origin: string;
}

/** Longer than any request of the pages. */
const bodyLimitBytes = 4_096;

/** An application around the key server: a login, a library, tokens for users who may watch, and the acts of its administrators. */
export function createApplication(options: ApplicationOptions): FastifyInstance {
  const { origin, sessions } = options;
  const app = fastify({
    bodyLimit: bodyLimitBytes,
    // A list is not taken for its only member.
    ajv: { customOptions: { coerceTypes: false } },
  });
  const access = createAccess(sessions);
  app.addHook('onRequest', async ({ headers }, reply) => {
    // Tokens must not be cached.
    reply.header('cache-control', 'no-store');
    // Pages of other origins can send requests too, and the browser then names their origin.
    if (headers.origin !== undefined && headers.origin !== origin)
      throw new Refusal(403, 'FOREIGN_ORIGIN', 'Only the pages of this application may do this.');
  });
  addPages(app, options);
  addLogin(app, sessions);
  addViewing(app, options, access);
  addStudio(app, options, access);
  return app;
}

/** - `POST /session { name, password }` signs in, `DELETE /session` signs out */
function addLogin(app: FastifyInstance, sessions: Sessions): void {
  app.post(
    '/session',
    { schema: { body: bodyOf({ name: text, password: text }) } },
    async (request, reply) => {
      const { name, password } = request.body as { name: string; password: string };
      const cookie = sessions.begin(name.trim().toLowerCase(), password);
      if (!cookie)
        throw new Refusal(401, 'WRONG_LOGIN', 'This name and this password do not belong together.');
      return reply.header('set-cookie', cookie).send({ user: sessions.userOf(cookie) });
    },
  );
  app.delete('/session', async ({ headers }, reply) => {
    return reply.header('set-cookie', sessions.end(headers.cookie)).send({ user: null });
  });
}

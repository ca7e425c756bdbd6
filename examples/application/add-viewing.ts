import type { FastifyInstance } from 'fastify';
import type { Access } from './access.ts';
import type { TokenIssuer } from './issue-tokens.ts';
import { type Library, mayWatch } from './library.ts';
import { Refusal } from './refusal.ts';
import { bodyOf, contentId } from './request-schemas.ts';

export interface ViewingOptions {
  readonly library: Library;
  readonly issuer: TokenIssuer;
  /** For the players. */
  readonly keyServerUrl: string;
}

/**
 * The requests of viewers to the application:
 *
 * - `GET /films`: the films that the user may watch
 * - `POST /tokens/viewer { contentId }`: a token to watch one of them, `{ token, expiresInSeconds }`
 */
export function addViewing(app: FastifyInstance, options: ViewingOptions, { userOf }: Access): void {
  const { library, issuer, keyServerUrl } = options;

  app.get('/films', async (request) => {
    const user = userOf(request);
    return { user, keyServerUrl, films: library.list().filter((film) => mayWatch(user, film)) };
  });

  app.post('/tokens/viewer', { schema: { body: bodyOf({ contentId }) } }, async (request) => {
    const user = userOf(request);
    const film = library.find((request.body as { contentId: string }).contentId);
    if (!mayWatch(user, film)) throw new Refusal(403, 'NOT_ALLOWED', `${user.name} may not watch this.`);
    return issuer.forViewer(user.id, film.contentId);
  });
}

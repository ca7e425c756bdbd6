import { AppError } from '@latchkey/shared/errors';
import type { ContentKeyIssuer } from '../issue-content-key.ts';

export interface PackagerRouteOptions {
  issuer: ContentKeyIssuer;
  /** `PUBLIC_URL`; null if it is not set: then no document can name the URL of a key. */
  publicUrl: string | null;
}

/** The 409 of an answer that needs the server's own URL. */
export function publicUrlMissing(): AppError {
  return new AppError('PUBLIC_URL_MISSING', {
    detail:
      'Set PUBLIC_URL to the URL under which packagers and players reach this server: playlists need absolute key URLs.',
  });
}

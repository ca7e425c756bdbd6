import type { FastifyInstance } from 'fastify';
import type { Access } from './access.ts';
import type { TokenIssuer } from './issue-tokens.ts';
import type { KeyServer } from './key-server.ts';
import type { Film, Library } from './library.ts';
import { bodyOf, contentId, text, yesOrNo } from './request-schemas.ts';

export interface StudioOptions {
  readonly library: Library;
  readonly issuer: TokenIssuer;
  readonly keyServer: KeyServer;
  /** Where viewers read what was uploaded: your CDN in front of the bucket. Undefined: there is no bucket. */
  readonly uploadsUrl: string | undefined;
}

/** The name of a playlist at the top of an uploaded folder. */
const playlist = { type: 'string', pattern: '^[A-Za-z0-9_-]+[.]m3u8$', maxLength: 100 };
const newFilm = bodyOf({ contentId, title: text, playlist, isForSubscribers: yesOrNo });
const aboutFilm = bodyOf({ contentId });
const aboutPlayback = bodyOf({ leaseId: text });

/**
 * The acts of administrators:
 *
 * - `GET /studio/playbacks`: who watches what
 * - `POST /studio/revoke { leaseId }`: ends a playback
 * - `POST /studio/films { contentId, title, playlist, isForSubscribers }`: registers a film before its files are uploaded
 * - `POST /tokens/upload { contentId }`: a token to upload them, `{ token, expiresInSeconds }`
 * - `POST /studio/publish { contentId }`: shows the film to viewers once the files are there
 */
export function addStudio(app: FastifyInstance, options: StudioOptions, { adminOf }: Access): void {
  const { library, issuer, keyServer, uploadsUrl } = options;

  app.get('/studio/playbacks', async (request) => {
    adminOf(request);
    return { playbacks: await keyServer.listPlaybacks(), canUpload: uploadsUrl !== undefined };
  });

  app.post('/studio/revoke', { schema: { body: aboutPlayback } }, async (request) => {
    adminOf(request);
    await keyServer.revoke((request.body as { leaseId: string }).leaseId);
    return {};
  });

  app.post('/studio/films', { schema: { body: newFilm } }, async (request) => {
    adminOf(request);
    const film = request.body as Pick<Film, 'contentId' | 'title' | 'playlist' | 'isForSubscribers'>;
    await keyServer.register(film.contentId, film.title);
    const url = `${uploadsUrl}/content/${film.contentId}/${film.playlist}`;
    library.put({ ...film, playlist: url, isLive: false, isPublished: false });
    return {};
  });

  app.post('/tokens/upload', { schema: { body: aboutFilm } }, async (request) => {
    const user = adminOf(request);
    const film = library.find((request.body as { contentId: string }).contentId);
    return issuer.forUpload(user.id, film.contentId);
  });

  app.post('/studio/publish', { schema: { body: aboutFilm } }, async (request) => {
    adminOf(request);
    const film = library.find((request.body as { contentId: string }).contentId);
    library.put({ ...film, isPublished: true });
    return {};
  });
}

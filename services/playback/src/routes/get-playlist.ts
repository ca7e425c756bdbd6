import { Readable } from 'node:stream';
import { readSession } from '@latchkey/shared/auth';
import { problems } from '@latchkey/shared/errors';
import { type App, addGuard, chooseCoding, type GuardOptions, varyByCoding } from '@latchkey/shared/http';
import type { Metrics } from '@latchkey/shared/metrics';
import { Type } from '@latchkey/shared/schema';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PlaylistServer } from '../serve-playlist.ts';
import { createAnswerZip } from '../zip-answers.ts';

interface PlaylistRouteOptions {
  readonly playlists: PlaylistServer;
  readonly guard: GuardOptions;
  readonly metrics: Pick<Metrics, 'countPlaylist'>;
}

/** RFC 8216 section 4. */
const playlistType = 'application/vnd.apple.mpegurl';

const schema = {
  tags: ['Sessions'],
  operationId: 'getSessionPlaylist',
  summary: 'A playlist of a session',
  description:
    'The `url` in the answer of `POST /keys/sessions` leads here. The URL is the credential: no header is needed, and any page may fetch it. Keys of this server get `?s=` with the id of the session; segments come from where the source has them. Compressed with gzip for clients that accept it.',
  params: Type.Object({
    sid: Type.String({ description: 'The id of the session: 43 characters of base64url.' }),
    name: Type.String({
      description: '`index.m3u8`, or the name of a playlist that it lists.',
    }),
  }),
  response: {
    200: {
      description: 'The playlist.',
      content: { [playlistType]: { schema: Type.String() } },
    },
    ...problems('INVALID_SESSION', 'LEASE_EXPIRED', 'LEASE_REVOKED', 'CONTENT_NOT_FOUND', 'NOT_FOUND'),
  },
};

/** `GET /play/:sid/:name`. */
export async function addPlaylistRoutes(app: App, options: PlaylistRouteOptions): Promise<void> {
  await app.register(async (scope) => {
    // A segment's request must not carry the URL of its playlist to the server of the segments. On errors too, for a page that shows one.
    scope.addHook('onRequest', (_request, reply, done) => {
      reply.header('referrer-policy', 'no-referrer');
      done();
    });
    addGuard(scope, options.guard);
    scope.addHook('onError', async (request, reply) => {
      // The error handler has not run yet, so the code is counted once the answer is under way.
      reply.raw.once('close', () => options.metrics.countPlaylist(request.errorCode ?? 'INTERNAL'));
    });
    addPlaylistRoute(scope, options);
  });
}

function addPlaylistRoute(app: App, { playlists, guard, metrics }: PlaylistRouteOptions): void {
  const zips = createAnswerZip();
  app.route({
    method: 'GET',
    url: '/play/:sid/:name',
    config: { access: 'open', limit: 'playlists' },
    schema,
    handler: async (request, reply) => {
      const { sid, name } = request.params;
      const principal = readSession(sid);
      guard.wrongSessions?.assertMayLookUp(
        principal.session,
        request as FastifyRequest,
        reply as FastifyReply,
      );
      const { sizeBytes, pieces } = await playlists.serve(principal.session, sid, name);
      // Only now is it known that the caller has the secret of that lease.
      (request as FastifyRequest).principal = principal;
      metrics.countPlaylist('served');
      const answer = (reply as FastifyReply).header('content-type', playlistType);
      varyByCoding(answer);
      const mayZip =
        request.method === 'GET' && chooseCoding(request.headers['accept-encoding'], ['gzip']) !== null;
      const zipped = mayZip ? await zips.zip(pieces, sizeBytes) : null;
      if (zipped) return answer.header('content-encoding', 'gzip').send(zipped);
      return answer.header('content-length', sizeBytes).send(Readable.from(pieces));
    },
  });
}

import { hashCredential, readBearer } from '@latchkey/shared/auth';
import { AppError, problems } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { AuthRouteOptions } from '../auth-route-options.ts';
import { createEventStreams, type StreamRoom } from '../event-streams.ts';

const path = '/api/v1/events';
const config = { access: 'manage', action: 'events.stream', limit: 'api' } as const;

/** `GET /api/v1/events`: server-sent events. */
export function addStreamEventsRoute(app: App, { bus, guard, randomId }: AuthRouteOptions): void {
  const streams = createEventStreams({ bus, id: randomId() });
  // Before the server waits for its connections to end: streams do not end by themselves.
  app.addHook('preClose', async () => streams.close());

  app.get(
    path,
    {
      exposeHeadRoute: false,
      config,
      schema: {
        tags: ['Audit'],
        summary: 'What happens, as server-sent events',
        description:
          'Events `lease`, `api-key`, `content` and `audit`; data is JSON: `event` (what happened) and `data` (the resource). ' +
          'A hint for displays: events can be missed, so load the lists again after a reconnection. A reconnection with ' +
          '`Last-Event-ID` gets the event `missed` first, unless nothing happened in between and the same process answers. ' +
          'A comment comes every 15 s: a stream that is silent for longer is broken. An API key may have 32 streams open at each ' +
          'process of the auth service, the next one gets 429. With 512 open in all, the next one gets 503.',
        response: {
          200: {
            description: 'An endless stream of events',
            content: { 'text/event-stream': { schema: Type.String() } },
          },
          ...problems('UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
        },
      },
    },
    (request, reply) => {
      const credential = readBearer(request.headers);
      const keyHash = hashCredential(credential ?? '');
      refuseWithoutRoom(streams.room(keyHash));
      const stream = streams.open({
        keyHash,
        isStillAllowed: async () => {
          await guard.authenticator.authenticate(credential, config.access);
          return true;
        },
        unsentBytes: () => reply.raw.writableLength,
        lastEventId: lastEventIdOf(request.headers['last-event-id']),
      });
      setHeaders(reply).send(stream);
    },
  );
  // To answer HEAD, Node would read the stream to its end, and it has no end.
  app.head(path, { config, schema: { hide: true } }, (_request, reply) => setHeaders(reply).send(null));
}

/** Streams end when tabs are closed, so there may be room soon. */
const retryAfterSeconds = 10;

/** @throws AppError RATE_LIMITED or DEPENDENCY_UNAVAILABLE: without a limit, streams would take all connections */
function refuseWithoutRoom(room: StreamRoom): void {
  if (room === 'free') return;
  if (room === 'full')
    throw new AppError('DEPENDENCY_UNAVAILABLE', {
      detail: 'No further stream can be opened.',
      retryAfterSeconds,
    });
  throw new AppError('RATE_LIMITED', {
    detail: 'This API key has as many streams open as it may. Close one.',
    retryAfterSeconds,
  });
}

/** Only a single value says where the last stream ended. */
function lastEventIdOf(header: string | string[] | undefined): string | null {
  return header === undefined ? null : String(header);
}

function setHeaders(reply: FastifyReply): FastifyReply {
  return reply.headers({
    'content-type': 'text/event-stream; charset=utf-8',
    // The connection is not reused: an idle one would delay the end of the server.
    connection: 'close',
    // nginx would buffer events otherwise.
    'x-accel-buffering': 'no',
  });
}

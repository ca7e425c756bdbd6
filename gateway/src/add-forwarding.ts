import { METHODS } from 'node:http';
import type { Clock } from '@latchkey/shared/clock';
import type { App } from '@latchkey/shared/http';
import type { Upstream } from '@latchkey/shared/upstream';
import { Forwarding, type ShedReason } from './forwarding.ts';
import { createOpenStreams } from './open-streams.ts';
import { routeTable, type ServiceName } from './route-table.ts';

/** Above the 4 s of a statement in a service, below the 8 s that hls.js waits for the first octet of a key (`keyLoadPolicy`). */
const defaultAnswerLimitMs = 7_000;
/** Hundreds of times what a warm key request takes; with the 0.5 s for a sign of life it makes a second at a silent address. */
const defaultDoubtAfterMs = 500;

export interface ForwardingOptions {
  upstreams: Readonly<Record<ServiceName, Upstream>>;
  /** Connections to the auth service for its event streams. */
  eventStreams: Upstream;
  secret: string;
  clock: Clock;
  /** `PUBLIC_URL`; null where it is not set. */
  publicUrl: string | null;
  /** How long a service may take to begin its answer, where the route table says nothing else. */
  answerLimitMs?: number;
  /** How long it may take before it is asked for a sign of life. */
  doubtAfterMs?: number;
  onFault: (service: ServiceName, error: unknown) => void;
  /** Notified of each request that was refused without being sent; left out, nobody is. */
  onShed?: (service: ServiceName, reason: ShedReason) => void;
}

/** Forwards every path of the route table. `/internal` is on none of them, so no client reaches it. */
export async function addForwarding(
  app: App,
  {
    upstreams,
    eventStreams,
    secret,
    clock,
    publicUrl,
    answerLimitMs = defaultAnswerLimitMs,
    doubtAfterMs = defaultDoubtAfterMs,
    onFault,
    onShed = () => {},
  }: ForwardingOptions,
): Promise<void> {
  const streams = createOpenStreams();
  await app.register(async (scope) => {
    // Before the server waits for its connections to end: these would not by themselves.
    scope.addHook('preClose', async () => streams.close());
    // Whether a path takes a method is the service's to say. CONNECT asks for a tunnel, and never gets here.
    for (const method of METHODS) {
      if (method !== 'CONNECT' && !scope.supportedMethods.includes(method))
        scope.addHttpMethod(method, { hasBody: true });
    }
    // Bodies pass as they are: the service reads them. They are small, so they are held whole, and the limit holds here.
    scope.removeAllContentTypeParsers();
    // Fastify refuses a QUERY without a type by itself. What has none may be taken for octets (RFC 9110 section 8.3).
    scope.addHook('onRequest', ({ method, raw }, _reply, done) => {
      if (method === 'QUERY') raw.headers['content-type'] ??= 'application/octet-stream';
      done();
    });
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    for (const { path, service, exact, streams: isStream, answerLimitMs: ownLimitMs } of routeTable) {
      const options = {
        upstream: isStream ? eventStreams : upstreams[service],
        secret,
        clock,
        publicUrl,
        answerLimitMs: ownLimitMs ?? answerLimitMs,
        doubtAfterMs,
        streams,
        onFault: (error: unknown) => onFault(service, error),
        onShed: (reason: ShedReason) => onShed(service, reason),
      };
      for (const url of exact ? [path] : [path, `${path}/*`]) {
        scope.route({
          method: scope.supportedMethods,
          url,
          exposeHeadRoute: false,
          config: { access: 'open' },
          schema: { hide: true },
          handler: (request, reply) => void new Forwarding(request, reply, options),
        });
      }
    }
  });
}

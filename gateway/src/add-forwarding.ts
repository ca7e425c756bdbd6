import { setMaxListeners } from 'node:events';
import type { App } from '@latchkey/shared/http';
import { METHODS } from '@latchkey/shared/net';
import type { Upstream } from '@latchkey/shared/upstream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ForwardOptions, forward, type ShedReason } from './forward.ts';
import { setupPath } from './forwarded-headers.ts';
import { routeTable, type ServiceName, type Upstreams } from './route-table.ts';

/** Above the 4 s of a statement in a service. Below the 8 s that hls.js waits for the first byte of a key (`keyLoadPolicy`). */
const defaultAnswerLimitMs = 7_000;
/** Hundreds of times what a warm key request takes. */
const defaultSilentAfterMs = 500;

/**
 * For a request that waits until its act is applied everywhere: `AUTHORITY_MAX_AGE_SECONDS` and the act itself. Below the 120 s after
 * which a connection that stands still is closed (`shared/src/http/host.ts`).
 */
const appliedLimitMs = 110_000;

interface ForwardingOptions
  extends Pick<ForwardOptions, 'secret' | 'clock' | 'tracer'>,
    Partial<Pick<ForwardOptions, 'answerLimitMs' | 'silentAfterMs'>> {
  upstreams: Upstreams;
  /** Connections to the auth service for its event streams. */
  eventStreams: Upstream;
  setupOriginOf: NonNullable<ForwardOptions['setupOriginOf']>;
  onFault: (service: ServiceName, error: unknown) => void;
  /** Notified of each request that was refused without being sent. */
  onShed: (service: ServiceName, reason: ShedReason) => void;
}

/** Forwards every path of the route table whose service is elsewhere. `/internal` is on none of them, so no client reaches it. */
export async function addForwarding(app: App, forwarding: ForwardingOptions): Promise<void> {
  const { upstreams, eventStreams, setupOriginOf, onFault, onShed, ...common } = forwarding;
  const { answerLimitMs = defaultAnswerLimitMs, silentAfterMs = defaultSilentAfterMs } = common;
  const ending = new AbortController();
  // Each open event stream listens.
  setMaxListeners(0, ending.signal);
  await app.register(async (scope) => {
    // Before the server waits for its connections to end: event streams do not end by themselves.
    scope.addHook('preClose', async () => ending.abort());
    acceptAnyRequest(scope);
    for (const row of routeTable) {
      const { path, service, exact, methods, bodyLimitBytes } = row;
      const upstream = row.streams ? eventStreams : upstreams[service];
      if (!upstream) continue;
      const options: ForwardOptions = {
        ...common,
        service,
        upstream,
        setupOriginOf: path === setupPath ? setupOriginOf : undefined,
        answerLimitMs: row.answerLimitMs ?? answerLimitMs,
        // Work that may take longer proves nothing by its silence.
        silentAfterMs: row.answerLimitMs ?? silentAfterMs,
        ending: ending.signal,
        onFault: (error: unknown) => onFault(service, error),
        onShed: (reason: ShedReason) => onShed(service, reason),
      };
      // Its silence proves nothing about the address.
      const patient = { ...options, answerLimitMs: appliedLimitMs, silentAfterMs: appliedLimitMs };
      for (const url of exact ? [path] : [path, `${path}/*`]) {
        scope.route({
          method: methods ? [...methods] : scope.supportedMethods,
          url,
          exposeHeadRoute: false,
          ...(bodyLimitBytes === undefined ? {} : { bodyLimit: bodyLimitBytes }),
          config: { access: 'open' },
          schema: { hide: true },
          handler: (request, reply) =>
            forward(
              request as FastifyRequest,
              reply as FastifyReply,
              (request.query as { wait?: unknown }).wait === 'applied' ? patient : options,
            ),
        });
      }
    }
  });
}

/** Any method and any body, as bytes. */
function acceptAnyRequest(scope: App): void {
  // The service decides whether a path takes a method. CONNECT asks for a tunnel, and never gets here.
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !scope.supportedMethods.includes(method))
      scope.addHttpMethod(method, { hasBody: true });
  }
  // The service parses bodies. They are small (256 KiB at most), so the gateway holds them whole, and applies the size limit here.
  scope.removeAllContentTypeParsers();
  // Fastify refuses a QUERY without a content type. A body without one may be taken for bytes (RFC 9110 section 8.3).
  scope.addHook('onRequest', ({ method, raw }, _reply, done) => {
    if (method === 'QUERY') raw.headers['content-type'] ??= 'application/octet-stream';
    done();
  });
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

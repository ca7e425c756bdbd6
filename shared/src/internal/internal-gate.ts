import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { hashCredential } from '../auth/index.ts';
import { AppError } from '../errors/errors.ts';
import { type App, gateDecorator } from '../http/index.ts';
import type { AcceptedSecrets } from '../seal/accepted-secrets.ts';

/** Carries `INTERNAL_SECRET`, from the gateway and from other services. */
export const internalSecretHeader = 'x-latchkey-secret';

/**
 * Marks the answer to a service that is not known: the caller's configuration is wrong, not the client's credential. It is `secret`, or
 * `certificate` and the fault, as in `certificate CERT_HAS_EXPIRED`.
 */
export const refusedHeader = 'x-latchkey-refused';

/**
 * Routes for orchestrators, which have no secret. A caller with a wrong secret is answered too, and the answer reports
 * the wrong secret.
 */
const openPaths = new Set(['/health', '/ready']);

/** Why a connection belongs to no process of the installation; null if it does. */
type WhyUntrusted = (socket: Socket) => string | null;

/**
 * Distinguishes other services of this installation from all other callers.
 *
 * @param secrets `INTERNAL_SECRET` and `INTERNAL_SECRET_PREVIOUS`
 * @param whyUntrusted judges the caller's certificate. Optional. Default: no certificate is required
 */
export function createInternalGate(secrets: AcceptedSecrets, whyUntrusted: WhyUntrusted = () => null) {
  const expected = secrets.map((secret) => Buffer.from(hashCredential(secret)));
  /** The result is cached for each request: it is needed twice, and a hash is a large part of the request's cost. */
  const judged = new WeakMap<IncomingMessage, string | null>();

  /** @returns for the header; null for a service */
  function judge(request: IncomingMessage): string | null {
    const known = judged.get(request);
    if (known !== undefined) return known;
    const untrusted = whyUntrusted(request.socket);
    const presented = request.headers[internalSecretHeader];
    const isKnown = typeof presented === 'string' && isAmong(expected, hashCredential(presented));
    const refusal = untrusted === null ? (isKnown ? null : 'secret') : `certificate ${untrusted}`;
    judged.set(request, refusal);
    return refusal;
  }

  return {
    /**
     * Whether a request presents the secret, and a certificate where one is wanted. Only then are its statements about the client trusted:
     * any caller that reaches the port can send `X-Forwarded-For`.
     */
    isFromService: (request: IncomingMessage) => judge(request) === null,
    /** Refuses all other callers. A refused request leaves only its answer: no audit row, no count of a limit. */
    addTo(app: App): void {
      app.decorate(gateDecorator, true);
      app.addHook('onRequest', (request, reply, done) => {
        const isOpen = openPaths.has(request.routeOptions.url ?? '');
        if (isOpen && request.headers[internalSecretHeader] === undefined) return done();
        const refusal = judge(request.raw);
        if (refusal === null) return done();
        reply.header(refusedHeader, refusal);
        if (isOpen) return done();
        request.isRefusedAtGate = true;
        done(new AppError('UNAUTHENTICATED', { detail: 'This service answers only other services.' }));
      });
    },
  };
}

/** Compares with each of them, in constant time. */
function isAmong(expected: readonly Buffer[], presented: string): boolean {
  const hash = Buffer.from(presented);
  let isKnown = false;
  for (const each of expected) isKnown = timingSafeEqual(hash, each) || isKnown;
  return isKnown;
}

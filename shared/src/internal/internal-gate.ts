import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { hashCredential } from '../auth/index.ts';
import { AppError } from '../errors/errors.ts';
import { type App, gateDecorator } from '../http/index.ts';
import { type AcceptedSecrets, madeOf } from '../seal/accepted-secrets.ts';

/** Carries `INTERNAL_SECRET`, from the gateway and from other services. */
export const internalSecretHeader = 'x-latchkey-secret';

/** Marks the answer to a wrong secret: the caller's configuration is wrong, not the client's credential. */
export const refusedHeader = 'x-latchkey-refused';

/**
 * Routes for orchestrators, which have no secret. A caller with a wrong secret is answered too, and the answer says that
 * it is wrong.
 */
const openPaths = new Set(['/health', '/ready']);

/** Distinguishes other services of this installation from all other callers. */
interface InternalGate {
  /**
   * Whether a request presents the secret. Only then are its statements about the client trusted: any caller that reaches
   * the port can send `X-Forwarded-For`.
   */
  isFromService(request: IncomingMessage): boolean;
  /** Refuses all other callers. A refused request leaves only its answer: no audit row, no count of a limit. */
  addTo(app: App): void;
}

/** @param secrets `INTERNAL_SECRET`, and those that are accepted beside it */
export function createInternalGate(secrets: AcceptedSecrets): InternalGate {
  const expected = madeOf(secrets, (all) => all.map((secret) => Buffer.from(hashCredential(secret))));
  /** The result is cached for each request: it is needed twice, and a hash is a large part of the request's cost. */
  const judged = new WeakMap<IncomingMessage, boolean>();

  function isFromService(request: IncomingMessage): boolean {
    const known = judged.get(request);
    if (known !== undefined) return known;
    const presented = request.headers[internalSecretHeader];
    const isKnown = typeof presented === 'string' && isAmong(expected(), hashCredential(presented));
    judged.set(request, isKnown);
    return isKnown;
  }

  return {
    isFromService,
    addTo(app) {
      app.decorate(gateDecorator, true);
      app.addHook('onRequest', (request, reply, done) => {
        const isOpen = openPaths.has(request.routeOptions.url ?? '');
        if (isOpen && request.headers[internalSecretHeader] === undefined) return done();
        if (isFromService(request.raw)) return done();
        reply.header(refusedHeader, 'secret');
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

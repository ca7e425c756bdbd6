import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { hashCredential } from '../auth/index.ts';
import { AppError } from '../errors/index.ts';
import { type App, gateDecorator } from '../http/index.ts';

/** Carries `INTERNAL_SECRET`, from the gateway and from neighbours. */
export const internalSecretHeader = 'x-latchkey-secret';

/** On the answer to a wrong secret: it is the caller's configuration that is wrong, and not the client's credential. */
export const refusedHeader = 'x-latchkey-refused';

/** Asked by orchestrators, which know no secret. A caller with a wrong one is answered all the same, and the answer says so. */
const openPaths = new Set(['/health', '/ready']);

/** Tells neighbours from everyone else. */
export interface NeighbourGate {
  /**
   * Whether a request presents the secret. What it says of its client is believed then, and not before: anyone who reaches the
   * port may send `X-Forwarded-For`.
   */
  isNeighbour(request: IncomingMessage): boolean;
  /** Refuses everyone else. A refused request leaves nothing behind but its answer: no row in the audit, no count of a limit. */
  addTo(app: App): void;
}

/** @param secret `INTERNAL_SECRET` */
export function createNeighbourGate(secret: string): NeighbourGate {
  const expected = Buffer.from(hashCredential(secret));
  /** Each request is asked about twice, and a hash costs as much as much else of it. */
  const judged = new WeakMap<IncomingMessage, boolean>();

  function isNeighbour(request: IncomingMessage): boolean {
    const known = judged.get(request);
    if (known !== undefined) return known;
    const presented = request.headers[internalSecretHeader];
    const isKnown =
      typeof presented === 'string' && timingSafeEqual(Buffer.from(hashCredential(presented)), expected);
    judged.set(request, isKnown);
    return isKnown;
  }

  return {
    isNeighbour,
    addTo(app) {
      app.decorate(gateDecorator, true);
      app.addHook('onRequest', (request, reply, done) => {
        const isOpen = openPaths.has(request.routeOptions.url ?? '');
        if (isOpen && request.headers[internalSecretHeader] === undefined) return done();
        if (isNeighbour(request.raw)) return done();
        reply.header(refusedHeader, 'secret');
        if (isOpen) return done();
        request.isRefusedAtGate = true;
        done(new AppError('UNAUTHENTICATED', { detail: 'This service answers its neighbours only.' }));
      });
    },
  };
}

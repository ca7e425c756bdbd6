import { timingSafeEqual } from 'node:crypto';
import { hashCredential } from '../auth/index.ts';
import { AppError } from '../errors/index.ts';
import type { App } from '../http/index.ts';

/** Carries `INTERNAL_SECRET`, from the gateway and from neighbours. */
export const internalSecretHeader = 'x-latchkey-secret';

/** On the answer to a wrong secret: it is the caller's configuration that is wrong, and not the client's credential. */
export const refusedHeader = 'x-latchkey-refused';

/** Asked by orchestrators, which know no secret. Who presents a wrong one is answered all the same, and told so. */
const openPaths = new Set(['/health', '/ready']);

/**
 * Refuses everyone who does not know the secret: a service is for its neighbours. With it, the caller's word on the
 * client's address is believed.
 */
export function addNeighbourGate(app: App, secret: string): void {
  const expected = Buffer.from(hashCredential(secret));
  app.addHook('onRequest', (request, reply, done) => {
    const isOpen = openPaths.has(request.routeOptions.url ?? '');
    const presented = request.headers[internalSecretHeader];
    if (isOpen && presented === undefined) return done();
    const known =
      typeof presented === 'string' && timingSafeEqual(Buffer.from(hashCredential(presented)), expected);
    if (known) return done();
    reply.header(refusedHeader, 'secret');
    if (isOpen) return done();
    done(new AppError('UNAUTHENTICATED', { detail: 'This service answers its neighbours only.' }));
  });
}

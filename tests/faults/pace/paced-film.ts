import { randomUUID } from 'node:crypto';
import { viewerToken } from '@latchkey/support/tokens';
import { createManagement, demand } from '../client/management.ts';
import { adminKey, tokenSecret } from '../stack/secrets.ts';
import type { SweepRequest } from './sweep-epochs.ts';
import type { SweptServer } from './swept-server.ts';

/** A key comes back in ten seconds: some do while a sweep lasts, and they are few beside a burst. */
export const film = { mode: 'sequence', count: 1_000_000, periodSeconds: 20, burst: 12, speed: 2 } as const;

/** The most keys that the promise allows: a burst and what refilled, for each bucket. */
export function promisedKeys(buckets: number, elapsedMs: number): number {
  const refilled = (elapsedMs / (film.periodSeconds * 1_000)) * film.speed;
  return buckets * Math.floor(film.burst + refilled);
}

/** Registers a content with these key periods. @returns its id */
export async function registerFilm({ url }: SweptServer, keyPeriods: unknown = film): Promise<string> {
  const contentId = `film-${randomUUID()}`;
  const management = createManagement(() => url, adminKey);
  await demand(management.call('POST', '/api/v1/content', { id: contentId, name: contentId, keyPeriods }));
  return contentId;
}

/** How one viewer may ask for keys. */
export interface Means {
  readonly tokens?: number;
  readonly leases?: number;
}

/** The requests of a new viewer, whose tokens and leases take turns. */
export async function prepareViewer(
  { url }: SweptServer,
  contentId: string,
  { tokens = 1, leases = 0 }: Means,
): Promise<(epoch: number) => SweepRequest> {
  const viewerId = `viewer-${randomUUID()}`;
  const management = createManagement(() => url, adminKey);
  const held = Array.from({ length: tokens }, (_, index) =>
    // A claim that tells them apart: signed in the same second, they would be the same token.
    viewerToken(tokenSecret, viewerId, { jti: `${index}` }),
  );
  const leaseIds: string[] = [];
  for (let lease = 0; lease < leases; lease++) {
    const created = await demand(management.createLease(viewerId, contentId));
    leaseIds.push(created.lease.id);
  }
  return (epoch) => {
    const leaseId = leaseIds[epoch % leaseIds.length];
    return {
      path: `/keys/${contentId}/${epoch}`,
      headers: {
        authorization: `Bearer ${held[epoch % tokens]}`,
        ...(leaseId === undefined ? {} : { 'x-lease-id': leaseId }),
      },
    };
  };
}

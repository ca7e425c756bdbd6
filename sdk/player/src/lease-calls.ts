import { attempt } from './attempt.ts';
import type { KeyServer } from './key-server.ts';
import type { Lease, LeaseGrant } from './lease.ts';
import { PlayerError, toPlayerError } from './player-error.ts';

/** The parameters of each lease. */
export interface LeaseWish {
  readonly contentId: string;
  readonly deviceId: string;
  readonly ttlSeconds?: number | undefined;
}

/** The lease endpoints of the key server. All throw PlayerError. */
export interface LeaseCalls {
  /** @returns null if the server has no leases (`LEASE_MODE=off`). Without leases there are no playback sessions: that throws */
  create(wish: LeaseWish): Promise<LeaseGrant | null>;
  renew(leaseId: string, wish: LeaseWish): Promise<LeaseGrant>;
  revoke(leaseId: string): Promise<void>;
  /**
   * The page is being left before the answer to `create`. If that lease fills the viewer's limit, the next page of this tab
   * ends it.
   */
  leave(wish: LeaseWish): void;
  /** For a page that is being left. Resolved, never rejected, once the answer has come. */
  revokeNow(leaseId: string): Promise<void>;
}

/** @param kind with `sessions`, each lease is a playback session, which has a URL */
export function createLeaseCalls(
  server: KeyServer,
  released: ReleasedLease,
  kind: 'leases' | 'sessions' = 'leases',
): LeaseCalls {
  const post = async <T = LeaseGrant>(path: string, json: object, more = {}): Promise<T> => {
    const body = await server.send({ url: server.url(path), reason: 'lease', json, ...more });
    return JSON.parse(new TextDecoder().decode(body));
  };
  const revoke = async (leaseId: string) => {
    await post('/keys/leases/revoke', { leaseId }, { keepalive: true });
  };
  const create = async ({ contentId, deviceId, ttlSeconds }: LeaseWish): Promise<LeaseGrant> => {
    const wish = { contentId, deviceId };
    if (kind === 'leases') return post('/keys/leases', { ...wish, ...ttlMember(ttlSeconds) });
    const { url, lease } = await post<SessionGrant>('/keys/sessions', { ...wish, ttlSeconds });
    const ttl_seconds = (Date.parse(lease.expiresAt) - Date.parse(lease.createdAt)) / 1_000;
    return { lease, url, ttl_seconds, renew_after_seconds: ttl_seconds * renewalShare };
  };

  return {
    async create(wish) {
      try {
        return await create(wish);
      } catch (thrown) {
        const error = toPlayerError(thrown);
        if (error.serverCode === 'NOT_FOUND') {
          if (kind === 'sessions') throw withoutSessions(error);
          return null;
        }
        const own = released.get();
        const left = error.leases.find((lease) => own === lease.id || own === nameOf(lease));
        if (!left) throw error;
        await revoke(left.id);
        return create(wish);
      }
    },
    renew: (leaseId, { ttlSeconds }) => post('/keys/leases/renew', { leaseId, ...ttlMember(ttlSeconds) }),
    revoke,
    leave: (wish) => released.set(nameOf(wish)),
    revokeNow(leaseId) {
      released.set(leaseId);
      return server.sendNow({ url: server.url('/keys/leases/revoke'), reason: 'lease', json: { leaseId } });
    },
  };
}

/** The share of its lifetime after which a session is renewed. The server states a time only for leases. */
const renewalShare = 0.75;

/** The part of an answer to `POST /keys/sessions` that the player uses. */
interface SessionGrant {
  readonly url: string;
  readonly lease: Lease;
}

const withoutSessions = (cause: PlayerError) =>
  new PlayerError('SESSION_UNAVAILABLE', 'The key server has no sessions: LEASE_MODE=off.', {
    status: 404,
    cause,
  });

/** Names a lease whose id is not known. */
const nameOf = ({ contentId, deviceId }: Pick<Lease, 'contentId' | 'deviceId'>) => `${deviceId} ${contentId}`;

const ttlMember = (ttlSeconds: number | undefined) =>
  ttlSeconds === undefined ? {} : { requestedTtlSeconds: ttlSeconds };

/** Remembers the lease that this tab released last, by its id, or by its name if the id had not arrived. */
interface ReleasedLease {
  get(): string | undefined;
  set(lease: string): void;
}

const storageKey = 'latchkey.released-lease';

/**
 * In the tab's `sessionStorage`. A reloaded page may request its lease before the release of the old one has arrived. A
 * viewer with a limit of one lease would then be refused because of the old one, until it expires. Without storage, nothing is
 * remembered.
 */
export function tabStorage(): ReleasedLease {
  return {
    get: () => attempt(() => sessionStorage.getItem(storageKey)) ?? undefined,
    set: (lease) => void attempt(() => sessionStorage.setItem(storageKey, lease)),
  };
}

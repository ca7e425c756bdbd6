import type { KeyServer } from './key-server.ts';
import type { LeaseGrant } from './lease.ts';
import { PlayerError } from './player-error.ts';
import type { ReleasedLease } from './released-lease.ts';

/** What is asked for with each lease. */
export interface LeaseWish {
  readonly contentId: string;
  readonly deviceId: string;
  readonly ttlSeconds?: number | undefined;
}

/** The lease endpoints of the key server. All throw PlayerError. */
export interface LeaseCalls {
  /** @returns null where the server keeps no leases (`LEASE_MODE=off`) */
  create(wish: LeaseWish): Promise<LeaseGrant | null>;
  renew(leaseId: string, wish: LeaseWish): Promise<LeaseGrant>;
  revoke(leaseId: string): Promise<void>;
  /** For a page that is being left. Resolved, never rejected, once the answer is there. */
  revokeNow(leaseId: string): Promise<void>;
}

export function createLeaseCalls(server: KeyServer, released: ReleasedLease): LeaseCalls {
  const post = async (path: string, json: object, more = {}): Promise<LeaseGrant> => {
    const body = await server.send({ url: server.url(path), reason: 'lease', json, ...more });
    return JSON.parse(new TextDecoder().decode(body));
  };
  const revoke = async (leaseId: string) => {
    await post('/keys/leases/revoke', { leaseId }, { keepalive: true });
  };
  const create = ({ contentId, deviceId, ttlSeconds }: LeaseWish) =>
    post('/keys/leases', { contentId, deviceId, ...ttlMember(ttlSeconds) });

  return {
    async create(wish) {
      try {
        return await create(wish);
      } catch (error) {
        if (!(error instanceof PlayerError)) throw error;
        if (error.serverCode === 'NOT_FOUND') return null;
        const own = released.get();
        if (own === undefined || !error.leases.some(({ id }) => id === own)) throw error;
        await revoke(own);
        return create(wish);
      }
    },
    renew: (leaseId, { ttlSeconds }) => post('/keys/leases/renew', { leaseId, ...ttlMember(ttlSeconds) }),
    revoke,
    revokeNow(leaseId) {
      released.set(leaseId);
      return server.sendNow({ url: server.url('/keys/leases/revoke'), reason: 'lease', json: { leaseId } });
    },
  };
}

const ttlMember = (ttlSeconds: number | undefined) =>
  ttlSeconds === undefined ? {} : { requestedTtlSeconds: ttlSeconds };

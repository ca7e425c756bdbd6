import type { LeaseReader, LeaseState } from '../contracts/index.ts';
import type { OwnerAnswer, OwnerLeaseReader } from '../replicas/index.ts';
import type { NeighbourClient } from './neighbour-client.ts';
import { isNullable, isNumber, isText, readObject } from './parse-answer.ts';

/** The lease service over the wire. */
export interface LeaseClient extends LeaseReader {
  /** The same, with the place in the change feed that each answer is true at or after. */
  stamped: OwnerLeaseReader;
}

export function createLeaseClient(leases: NeighbourClient): LeaseClient {
  const stamped: OwnerLeaseReader = {
    findLease: (leaseId) =>
      leases.get(`/internal/leases/${encodeURIComponent(leaseId)}`, (body) =>
        readOwnerAnswer(body, parseLease),
      ),
    findMark: (viewerId, contentId) => {
      const query = new URLSearchParams({ viewerId, contentId });
      return leases.get(`/internal/marks?${query}`, (body) => readOwnerAnswer(body, parseMark));
    },
  };
  return {
    stamped,
    findLease: async (leaseId) => (await stamped.findLease(leaseId)).value,
    findMark: async (viewerId, contentId) => (await stamped.findMark(viewerId, contentId)).value,
  };
}

function readOwnerAnswer<T>(body: unknown, parse: (value: unknown) => T): OwnerAnswer<T> {
  const { value, asOf } = readObject(body);
  if (!isNumber(asOf)) throw new TypeError('the answer has no place in the change feed');
  return { value: value === null ? null : parse(value), asOf };
}

/** @throws TypeError where it is not the state of a lease */
export function parseLease(value: unknown): LeaseState {
  const { viewerId, contentId, expiresAt, renewableUntil, revokedAt } = readObject(value);
  if (!isText(viewerId) || !isText(contentId))
    throw new TypeError('a lease names its viewer and its content');
  if (!isNumber(expiresAt) || !isNumber(renewableUntil) || !isNullable(revokedAt, isNumber)) {
    throw new TypeError('a lease has times');
  }
  return { viewerId, contentId, expiresAt, renewableUntil, revokedAt };
}

/** @throws TypeError where it is not the time of a mark */
export function parseMark(value: unknown): number {
  if (!isNumber(value)) throw new TypeError('a mark is a time');
  return value;
}

import type { LeaseReader, LeaseState } from '../contracts/index.ts';
import type { NeighbourClient } from './neighbour-client.ts';
import { isNullable, isNumber, isText, readObject } from './parse-answer.ts';

/** What the owner said, and the number of the change feed at which, or after which, it was true. */
export interface Stamped<T> {
  value: T | null;
  asOf: number;
}

/** The lease service over the wire. */
export interface LeaseClient extends LeaseReader {
  findStampedLease(leaseId: string): Promise<Stamped<LeaseState>>;
  findStampedMark(viewerId: string, contentId: string): Promise<Stamped<number>>;
}

export function createLeaseClient(leases: NeighbourClient): LeaseClient {
  const findStampedLease = (leaseId: string) =>
    leases.get(`/internal/leases/${encodeURIComponent(leaseId)}`, (body) => stamped(body, parseLease));
  const findStampedMark = (viewerId: string, contentId: string) => {
    const query = new URLSearchParams({ viewerId, contentId });
    return leases.get(`/internal/marks?${query}`, (body) => stamped(body, parseMark));
  };
  return {
    findStampedLease,
    findStampedMark,
    findLease: async (leaseId) => (await findStampedLease(leaseId)).value,
    findMark: async (viewerId, contentId) => (await findStampedMark(viewerId, contentId)).value,
  };
}

function stamped<T>(body: unknown, parse: (value: unknown) => T): Stamped<T> {
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

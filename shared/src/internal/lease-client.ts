import {
  createStrictReader,
  LeaseAnswerSchema,
  type LeaseReader,
  MarkAnswerSchema,
} from '../contracts/index.ts';
import type { OwnerLeaseReader } from '../replicas/index.ts';
import type { NeighbourClient } from './neighbour-client.ts';

const readLease = createStrictReader(
  LeaseAnswerSchema,
  'the state of a lease with its place in the change feed',
);
const readMark = createStrictReader(MarkAnswerSchema, 'a mark with its place in the change feed');

/** The lease service over HTTP. */
export interface LeaseClient extends LeaseReader {
  /** Same, with the place in the change feed at which each answer is known to be true. */
  stamped: OwnerLeaseReader;
}

export function createLeaseClient(leases: NeighbourClient): LeaseClient {
  const stamped: OwnerLeaseReader = {
    findLease: (leaseId) => leases.get(`/internal/leases/${encodeURIComponent(leaseId)}`, readLease),
    findMark: (viewerId, contentId) => {
      const query = new URLSearchParams({ viewerId, contentId });
      return leases.get(`/internal/marks?${query}`, readMark);
    },
  };
  return {
    stamped,
    findLease: async (leaseId) => (await stamped.findLease(leaseId)).value,
    findMark: async (viewerId, contentId) => (await stamped.findMark(viewerId, contentId)).value,
  };
}

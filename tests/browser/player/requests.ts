import { keyServerUrl } from './player-setup.ts';
import type { WireRequest } from './wire.ts';

const keyHost = new URL(keyServerUrl).host;
/** Creates, renews or revokes. */
export const isLeaseCall = (asked: WireRequest) =>
  isForKeyServer(asked) && asked.method === 'POST' && asked.path.startsWith('/keys/leases');

/** To the key server, preflights included. */
export const isForKeyServer = ({ host }: WireRequest) => host === keyHost;
/** Key requests, without their preflights. */
export const isKeyRequest = (asked: WireRequest) =>
  isForKeyServer(asked) && asked.method === 'GET' && asked.path.startsWith('/keys/');
/** @param verb an empty one for creation */
export const isLeaseRequest = (verb: '' | '/renew' | '/revoke') => (asked: WireRequest) =>
  isForKeyServer(asked) && asked.method === 'POST' && asked.path === `/keys/leases${verb}`;
export const isPreflight = (asked: WireRequest) => isForKeyServer(asked) && asked.method === 'OPTIONS';
/** Of a segment of picture or sound, whose name has a hash of its bytes. Initialization segments do not count. */
export const segmentPath = /\/\d+\.[0-9a-f]{8}\.(ts|m4s)$/;
export const isSegment = ({ path }: WireRequest) => segmentPath.test(path);

/** How often each answer came: `{ '200': 3, '403': 1 }`. Requests without one are counted as `none`. */
export function countStatuses(requests: readonly WireRequest[]): Record<string, number> {
  const groups = Object.groupBy(requests, ({ status }) => `${status ?? 'none'}`);
  return Object.fromEntries(Object.entries(groups).map(([status, all]) => [status, all?.length ?? 0]));
}

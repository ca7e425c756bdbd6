import { normalizeIp } from './ip-address.ts';
import type { TrustProxy } from './trust-proxy.ts';

/** Whether `TRUST_PROXY` lists the address of a connection. A number of hops lists none. */
export function isTrustedPeer(trust: TrustProxy, peerAddress: string | undefined): boolean {
  const peer = peerAddress === undefined ? undefined : normalizeIp(peerAddress);
  if (trust.kind !== 'list' || peer === undefined) return false;
  return trust.trusted.check(peer, peer.includes(':') ? 'ipv6' : 'ipv4');
}

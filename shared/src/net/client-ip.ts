import type { BlockList } from 'node:net';
import { normalizeIp } from './ip-address.ts';
import type { TrustProxy } from './trust-proxy.ts';

/**
 * Represents a peer without an IP address: a Unix socket, or a connection that is already gone. It is a valid IP that no
 * host has ("this host on this network", RFC 1122 section 3.2.1.3), so it matches no client and no trusted list.
 */
const noAddress = '0.0.0.0';

/** Headers that proxies set. A client that sets them itself only loses rights. */
const signOfProxy = /^(forwarded|x-forwarded-.*|x-real-ip|via)$/i;

/**
 * The client's IP address. The chain is the socket's peer, then the entries of `X-Forwarded-For` from right to left,
 * because each proxy appends the address of its caller. Called once a request.
 *
 * @param peerAddress `socket.remoteAddress`
 * @param forwardedFor the header `X-Forwarded-For`; no other header counts
 * @returns always a valid IP address in canonical form. The peer's own where the chain is too short for the number of
 *   hops or has an invalid entry on the way
 */
export function resolveClientIp(
  trust: TrustProxy,
  peerAddress: string | undefined,
  forwardedFor: string | readonly string[] | undefined,
): string {
  const peer = (peerAddress !== undefined && normalizeIp(peerAddress)) || noAddress;
  if (trust.kind === 'none' || forwardedFor === undefined) return peer;
  const chain = typeof forwardedFor === 'string' ? forwardedFor : forwardedFor.join(',');
  if (chain.trim() === '') return peer;
  if (trust.kind === 'hops') return nthFromRight(chain, trust.hops) ?? peer;
  if (trust.kind === 'list') return firstUntrusted(chain, peer, trust.trusted);
  const firstComma = chain.indexOf(',');
  return normalizeIp((firstComma === -1 ? chain : chain.slice(0, firstComma)).trim()) ?? peer;
}

/**
 * Whether a request comes directly from this machine: from a loopback address, and without a sign of a proxy. Setup
 * without a credential depends on it, so a header of any value counts as a sign.
 */
export function isDirectFromLoopback(
  peerAddress: string | undefined,
  headers: Readonly<Record<string, unknown>>,
): boolean {
  const peer = peerAddress === undefined ? undefined : normalizeIp(peerAddress);
  if (peer === undefined || !isLoopback(peer)) return false;
  for (const name in headers) if (signOfProxy.test(name)) return false;
  return true;
}

/** 127.0.0.0/8 and ::1 (RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3), of an address in canonical form. */
export function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}

/** Whether `TRUST_PROXY` lists the address of a connection. A number of hops lists none. */
export function isTrustedPeer(trust: TrustProxy, peerAddress: string | undefined): boolean {
  const peer = peerAddress === undefined ? undefined : normalizeIp(peerAddress);
  return trust.kind === 'list' && peer !== undefined && isIn(trust.trusted, peer);
}

/** The N-th entry; undefined if the chain has fewer or an earlier one is not an address. */
function nthFromRight(chain: string, hops: number): string | undefined {
  let address: string | undefined;
  let end = chain.length;
  for (let hop = 0; hop < hops; hop++) {
    if (end < 0) return undefined;
    const comma = lastComma(chain, end);
    address = normalizeIp(chain.slice(comma + 1, end).trim());
    if (address === undefined) return undefined;
    end = comma;
  }
  return address;
}

/** Walks to the left while the address belongs to a trusted proxy. The leftmost entry where all of them do. */
function firstUntrusted(chain: string, peer: string, trusted: BlockList): string {
  let address = peer;
  let end = chain.length;
  while (end >= 0 && isIn(trusted, address)) {
    const comma = lastComma(chain, end);
    const next = normalizeIp(chain.slice(comma + 1, end).trim());
    if (next === undefined) return peer;
    address = next;
    end = comma;
  }
  return address;
}

/** The last comma before `end`, or -1. (`lastIndexOf` takes a negative position for 0.) */
function lastComma(chain: string, end: number): number {
  return end === 0 ? -1 : chain.lastIndexOf(',', end - 1);
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}

export { isDirectFromLoopback, resolveClientIp } from './client-ip.ts';
export { networkOf, normalizeIp } from './ip-address.ts';
export { splitHosts } from './split-hosts.ts';
export { parseTrustProxy, type TrustProxy, trustProxyForms } from './trust-proxy.ts';

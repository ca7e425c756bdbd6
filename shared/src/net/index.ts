export { isDirectFromLoopback, resolveClientIp } from './client-ip.ts';
export { networkOf } from './network-of.ts';
export { normalizeIp } from './normalize-ip.ts';
export { parseTrustProxy, type TrustProxy, trustProxyForms } from './trust-proxy.ts';

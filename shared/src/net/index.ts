export { isDirectFromLoopback, isLoopback, isTrustedPeer, resolveClientIp } from './client-ip.ts';
export { networkOf, normalizeIp, toUrlHost } from './ip-address.ts';
export { parseNatsUrls } from './nats-urls.ts';
export { createServer, METHODS, STATUS_CODES } from './node-http.ts';
export { parseRedisUrl, type RedisPlace } from './redis-url.ts';
export { splitHosts } from './split-hosts.ts';
export { parseTrustProxy, type TrustProxy, trustProxyForms } from './trust-proxy.ts';

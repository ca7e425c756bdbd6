export { type Authority, apiKeyCacheKey, type CacheName, createAuthority, markKey } from './authority.ts';
export { AuthorityCache, type AuthorityCacheOptions, type Flight, type Known } from './authority-cache.ts';
export { BoundedMap } from './bounded-map.ts';
export { TagIndex } from './tag-index.ts';

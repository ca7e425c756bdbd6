export {
  type Authority,
  apiKeyCacheKey,
  createAuthority,
  type LeaseSource,
} from './authority.ts';
export {
  AuthorityCache,
  EarlierState,
  type KnownState,
  type PendingLoad,
} from './authority-cache.ts';
export { decideBySession } from './decide-by-session.ts';
export { mayHaveBeenRenewed } from './expired-lease.ts';
export * from './settle-decision.ts';
export {
  type CacheTag,
  importedKeyName,
  leaseTags,
  markKey,
  markTags,
  namedBy,
  splitMarkKey,
} from './tags.ts';

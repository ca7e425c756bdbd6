export {
  type Authority,
  apiKeyCacheKey,
  createAuthority,
  type LeaseSource,
} from './authority.ts';
export {
  AuthorityCache,
  EarlierState,
  type Known,
  type PendingLoad,
} from './authority-cache.ts';
export { mayHaveBeenRenewed } from './expired-lease.ts';
export { leaseTags, markKey, markTags, type Naming, namedBy, splitMarkKey } from './tags.ts';

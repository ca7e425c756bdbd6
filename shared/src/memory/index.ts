export {
  boundCaches,
  type CachePlan,
  planCaches,
  readProcessMemory,
  usualCachesBytes,
} from './cache-memory.ts';
export { copyText, mapSlotBytes, textBytes } from './memory-size.ts';
export { type RecencyEntry, RecencyMap } from './recency-map.ts';
export { TextPool } from './text-pool.ts';

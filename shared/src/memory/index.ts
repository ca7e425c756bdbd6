export {
  boundCaches,
  type CachePlan,
  planCaches,
  readProcessMemory,
  usualCachesBytes,
} from './cache-memory.ts';
export { copyText, mapSlotBytes, numberBytes, objectBytes, textBytes } from './memory-size.ts';
export { type RecencyEntry, RecencyMap } from './recency-map.ts';
export { TextPool } from './text-pool.ts';

export {
  boundCaches,
  type CachePlan,
  planCaches,
  readProcessMemory,
  usualCachesBytes,
} from './cache-memory.ts';
export { copyText, numberBytes, objectBytes, slotBytes, textBytes } from './memory-size.ts';
export { TextPool } from './text-pool.ts';

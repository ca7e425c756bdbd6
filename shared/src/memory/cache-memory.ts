import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

/** How much memory a process may use. */
export interface ProcessMemory {
  /** V8's heap, its young generation included: `heap_size_limit`. */
  heapLimitBytes: number;
  /** The container's limit, else the memory of the machine. By default V8 makes its heap half of it. */
  memoryBytes: number;
}

/** Memory limits of the caches, in bytes. */
export type CachePlan = Readonly<Record<keyof typeof shares, number>>;

const mib = 1_024 * 1_024;

/**
 * V8's young generation, which long-lived entries leave: three semi-spaces of a 64th of the memory each, up to 64 MiB
 * (V8's heap.cc, as Node 24 reports it for containers of 1 to 4 GiB). In smaller containers V8 takes less, 3 MiB of 512.
 */
const youngShare = 3 / 64;
const youngMostBytes = 192 * mib;
/** The program itself, and running requests. */
const programBytes = 32 * mib;
/**
 * The caches' share of the remaining heap. The rest is for garbage that V8 has not collected yet. In a container of 512
 * MiB the caches get 80 MiB, which holds 90,000 viewers, and key-derivation stays under half of the container's memory
 * (docs/operate/scale.md, "Memory, as viewers come and go").
 */
const heapShare = 0.4;
/** The caches' share of the memory, where V8 was given a larger heap than usual: it may exceed a small container. */
const memoryShare = 0.2;
/** Enough for 600,000 viewers at once. A larger heap would only make V8's collections longer. */
const mostBytes = 512 * mib;
/** Below it, caches would be too small to be useful. */
const leastBytes = 4 * mib;

/**
 * Each viewer takes a token, some 320 bytes, and, with leases, a lease, some 360. Without leases it takes a mark, which
 * is smaller. Contents and API keys are few, unless a client asks for ids that do not exist. The paces and the imported keys
 * come on top of the others: most installations have none. With paces each viewer takes some 480 bytes more, and an imported
 * key takes 320.
 */
const shares = {
  /** Verified tokens. */
  tokens: 0.38,
  leases: 0.44,
  marks: 0.12,
  contents: 0.04,
  importedKeys: 0.04,
  apiKeys: 0.02,
  /** How fast viewers fetch keys, of contents with a pace. */
  paces: 0.4,
};

/** For a process without configured limits: what a container of 512 MiB would get. */
export const usualCachesBytes = 80 * mib;

/** The memory of this process. */
export function readProcessMemory(): ProcessMemory {
  // Without a limit, Node reports 0 or more than any machine has.
  const containerBytes = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return {
    heapLimitBytes: getHeapStatistics().heap_size_limit,
    memoryBytes: Math.min(containerBytes, totalmem()),
  };
}

/** The limit for all caches together, in bytes. */
export function boundCaches({ heapLimitBytes, memoryBytes }: ProcessMemory): number {
  const oldBytes = heapLimitBytes - Math.min(youngMostBytes, memoryBytes * youngShare);
  const ofHeap = (oldBytes - programBytes) * heapShare;
  return Math.round(Math.max(leastBytes, Math.min(ofHeap, memoryBytes * memoryShare, mostBytes)));
}

/** Divides the bytes among the caches, the paces and the imported keys, so that a flood in one evicts nothing from another. */
export function planCaches(bytes: number): CachePlan {
  const parts = Object.entries(shares).map(([name, share]) => [name, Math.floor(bytes * share)]);
  return Object.fromEntries(parts) as CachePlan;
}

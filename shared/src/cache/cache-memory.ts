import { getHeapStatistics } from 'node:v8';

/** How much memory a process may use. */
export interface ProcessMemory {
  /** V8's heap: half of the container's memory where nobody says otherwise (`--max-old-space-size`). */
  heapLimitBytes: number;
  /** What the container may use; 0 or more than any machine has where it may use all. */
  containerBytes: number;
}

/** What everything that is cached may take. */
export interface CachePlan {
  apiKeys: number;
  contents: number;
  leases: number;
  marks: number;
  /** Verified tokens. */
  tokens: number;
}

/**
 * The caches' part of the heap. The rest is for requests under way, for the program itself, and for what V8 has not
 * collected yet, which is as much again as what is in use.
 */
const heapShare = 0.35;
/** The caches' part of the container, where somebody gave V8 more of it than usual. */
const containerShare = 0.25;
/** Enough for 600,000 viewers at once. A larger heap only makes V8's collections longer. */
const mostBytes = 512 * 1_024 * 1_024;
/** Below it nothing would be cached that is worth it. */
const leastBytes = 4 * 1_024 * 1_024;

/**
 * A viewer takes a token and, with leases, a lease: some 350 bytes each. Without leases it takes a mark, which is smaller.
 * Contents and API keys are few, unless somebody asks for ids that do not exist.
 */
const shares: CachePlan = { tokens: 0.38, leases: 0.38, marks: 0.16, contents: 0.05, apiKeys: 0.03 };

/** For a process that was not told: what a container of 512 MiB would get. */
export const usualCachesBytes = 90 * 1_024 * 1_024;

/** What this process may use. */
export function readProcessMemory(): ProcessMemory {
  return { heapLimitBytes: getHeapStatistics().heap_size_limit, containerBytes: process.constrainedMemory() };
}

/** What all caches together may take, in bytes. */
export function boundCaches({ heapLimitBytes, containerBytes }: ProcessMemory): number {
  const ofContainer = containerBytes > 0 ? containerBytes * containerShare : Number.POSITIVE_INFINITY;
  return Math.round(Math.max(leastBytes, Math.min(heapLimitBytes * heapShare, ofContainer, mostBytes)));
}

/** Divides the bytes among the caches, so that a flood in one pushes nothing out of another. */
export function planCaches(bytes: number): CachePlan {
  const part = (name: keyof CachePlan) => Math.floor(bytes * shares[name]);
  return {
    apiKeys: part('apiKeys'),
    contents: part('contents'),
    leases: part('leases'),
    marks: part('marks'),
    tokens: part('tokens'),
  };
}

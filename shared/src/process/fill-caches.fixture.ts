import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createTokenVerifier } from '../auth/index.ts';
import { usualIssuer } from '../auth/usual-rules.fixture.ts';
import { type Authority, createAuthority, importedKeyName, markKey } from '../authority/index.ts';
import { createFeedFollower, createInProcessBus } from '../events/index.ts';
import { boundCaches, planCaches, readProcessMemory } from '../memory/index.ts';
import { createLeaseState } from '../testing/lease-state.ts';
import { createManualClock } from '../testing/manual-clock.ts';

/**
 * A program: fills each cache of this process beyond its limit, with viewers, leases and contents as in service, and
 * prints the result as JSON. Its argument is the caches' limit together, in bytes. Without it they take their share of
 * the process's memory.
 */
const given = process.argv[2];
const bytes = given === undefined ? boundCaches(readProcessMemory()) : Number(given);
const plan = planCaches(bytes);
const clock = createManualClock();
const secret = Buffer.alloc(32, 1);
/** Bytes of entries offered to each cache, as a multiple of its limit. */
const rounds = 1.3;

function createCaches(): Authority {
  const bus = createInProcessBus(() => {});
  const follower = createFeedFollower({
    feed: { head: async () => 0, since: async () => ({ head: 0, history: '', changes: [] }) },
    bus,
    clock,
  });
  // Every answer is a new object, like one that was parsed.
  const copy = (text: string) => Buffer.from(text).toString();
  const now = clock.now();
  return createAuthority({
    apiKeys: {
      findApiKey: async (hash) => ({
        id: copy(hash.slice(0, 36)),
        name: copy(`key ${hash.slice(0, 8)}`),
        scope: 'playback',
        expiresAt: now + 1_000.5,
        revokedAt: null,
      }),
      noteUse: () => {},
    },
    contents: { findContent: async () => ({ status: 'active', keyVersion: 1, keyPeriods: null }) },
    importedKeys: { findImportedKey: async ({ contentId }) => copy(contentId.padEnd(48, '0')) },
    leases: {
      findLease: async (id) =>
        createLeaseState({
          viewerId: copy(`viewer-${id}`),
          contentId: copy('my-video-001-of-a-long-series'),
          expiresAt: now + 300_000,
          renewableUntil: now + 330_000,
        }),
      findMark: async () => now,
    },
    follower,
    bus,
    clock,
    cacheBytes: plan,
  });
}

const keyOf: Readonly<Record<keyof Authority, (i: number) => string>> = {
  apiKeys: (i) => i.toString(16).padStart(64, '0'),
  contents: (i) => `content-of-this-number-${i}`,
  importedKeys: (i) => importedKeyName(`content-of-this-number-${i}`, i, 1),
  leases: (i) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
  marks: (i) => markKey(`viewer-with-the-number-${i}`, 'my-video-001-of-a-long-series'),
};

/** @returns the number of entries offered */
async function fill(authority: Authority, name: keyof Authority): Promise<number> {
  const cache = authority[name];
  let entered = 0;
  for (let loadedBytes = 0; loadedBytes < rounds * plan[name]; entered++) {
    const before = cache.bytes;
    await cache.load(keyOf[name](entered));
    loadedBytes += Math.max(cache.bytes - before, cache.bytes / Math.max(cache.size, 1));
  }
  return entered;
}

function sign(i: number): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const seconds = clock.now() / 1_000;
  const claims = { sub: `viewer-with-the-number-${i}`, iat: seconds + 0.5, exp: seconds + 900 };
  const head = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ ...claims, content_ids: [`film-${i % 1_000}`] })}`;
  return `${head}.${createHmac('sha256', secret).update(head).digest('base64url')}`;
}

/** V8 compiles a function in some ms. */
const settleMs = 50;
/** No token takes less. */
const smallestTokenBytes = 250;

/** @returns the entries offered and kept, their counted bytes, and the bytes that V8's heap held with them */
async function fillTokens() {
  const accepted = [secret] as const;
  const verifier = createTokenVerifier({
    issuers: usualIssuer({ secrets: accepted }),
    clock,
    maxBytes: plan.tokens,
  });
  const entered = Math.ceil((rounds * plan.tokens) / smallestTokenBytes);
  for (let i = 0; i < entered; i++) await verifier.verify(sign(i), String(i).padStart(32, '0'));
  const fullBytes = await heapBytes();
  // Read last, so that the verifier is still in use when the heap is measured.
  const { size: kept, bytes } = verifier.remembered;
  return { entered, kept, bytes, fullBytes };
}

/**
 * Bytes in V8's heap; exact where the program runs with `--expose-gc`. On a busy machine V8's threads still compile what has just run, and what
 * they work on is in the heap until a later turn. So this waits, and collects again.
 */
async function heapBytes(): Promise<number> {
  globalThis.gc?.();
  await pause(settleMs);
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

async function main(): Promise<void> {
  const authority = createCaches();
  const caches: Record<string, unknown> = {};
  for (const name of Object.keys(keyOf) as (keyof Authority)[]) {
    const before = await heapBytes();
    const entered = await fill(authority, name);
    const { size: kept, bytes: counted } = authority[name];
    caches[name] = { entered, kept, bytes: counted, heapBytes: (await heapBytes()) - before };
  }
  const { fullBytes, ...tokens } = await fillTokens();
  // Bytes that the verifier frees. V8 has discarded unused code meanwhile, so comparing with the value before says
  // little.
  caches.tokens = { ...tokens, heapBytes: fullBytes - (await heapBytes()) };
  process.stdout.write(JSON.stringify({ bytes, caches, rssBytes: process.memoryUsage().rss }));
}

await main();

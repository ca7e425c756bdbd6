import { afterEach, expect, test, vi } from 'vitest';
import { createJobs, createShutdown } from '../lifecycle/index.ts';
import { createLeaseState } from '../testing/lease-state.ts';
import { connectSessionUses } from './connect-reports.ts';

const session = createLeaseState({ session: { secretHash: 'a'.repeat(64), extendFrom: 1_000 } });
const silent = () => {};

afterEach(() => {
  vi.useRealTimers();
});

/** A process whose lease service gets reports. */
function setUp() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const bodies: unknown[] = [];
  const invalidated: string[] = [];
  const warnings: string[] = [];
  const state = { isAway: false };
  const shutdown = createShutdown({ info: silent, warn: silent, error: silent });
  const client = {
    get: () => Promise.reject(new Error('not asked')),
    readMany: () => Promise.reject(new Error('not asked')),
    async post<T>(path: string, body: unknown, parse: (answer: unknown) => T): Promise<T> {
      if (state.isAway) throw new Error('away');
      bodies.push([path, body]);
      return parse({});
    },
  };
  const { noteUse } = connectSessionUses(client, {
    jobs: createJobs(silent),
    shutdown,
    warn: (message) => void warnings.push(message),
    authority: { leases: { invalidate: (id: string) => void invalidated.push(id) } } as never,
  });
  return { noteUse, bodies, invalidated, warnings, shutdown, state };
}

test('uses of sessions are reported within two seconds, and their states are read again afterwards', async () => {
  const { noteUse, bodies, invalidated } = setUp();
  noteUse('a', session, 5_000);
  expect(bodies).toEqual([]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(bodies).toEqual([['/internal/session-uses', { uses: { a: 5_000 } }]]);
  expect(invalidated).toEqual(['a']);
});

test('a process that ends reports the uses that it has noted', async () => {
  const { noteUse, bodies, shutdown } = setUp();
  noteUse('a', session, 5_000);
  await shutdown.run();
  expect(bodies).toEqual([['/internal/session-uses', { uses: { a: 5_000 } }]]);
});

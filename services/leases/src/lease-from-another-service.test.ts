import { randomUUID } from 'node:crypto';
import type { LeaseBatchReader, LeaseReader } from '@latchkey/shared/contracts';
import { createDatabaseFeed } from '@latchkey/shared/events/database';
import type { App } from '@latchkey/shared/http';
import {
  createLeaseClient,
  type LeaseClient,
  reportSessionUses,
  sessionUsesPath,
} from '@latchkey/shared/internal';
import {
  createLeaseState,
  createManualClock,
  databaseKinds,
  serveBehindGate,
  serveInternalRoutes,
  type TestDatabase,
} from '@latchkey/shared/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BlockStore } from './block-store.ts';
import type { Lease } from './lease.ts';
import { createLeaseReader } from './lease-reader.ts';
import { LeaseStore } from './lease-store.ts';
import { MarkStore } from './mark-store.ts';
import { RevocationStore } from './revocation-store.ts';
import { addLeaseInternalRoutes } from './routes/internal-routes.ts';
import { makeLease } from './stored-leases.fixture.ts';

const now = createManualClock().now();
/** The unit `binary` would first list all code points, for three seconds. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary-ascii', minLength: 1 }),
  fc.string({ unit: 'grapheme', minLength: 1 }),
);
/** Any id that a viewer may have: Postgres takes no text with the byte 0, and tokens with control characters are refused. */
const ids = fc.string({ unit: 'grapheme', minLength: 1 }).filter((id) => !/\p{Cc}/u.test(id));

/** A service without leases and marks, whose answers hold for any place in the feed. */
const noLeases: LeaseReader & LeaseBatchReader = {
  findLease: async () => null,
  findMark: async () => null,
  findLeases: async (ids) => ids.map(() => null),
  findMarks: async (pairs) => pairs.map(() => null),
};
const feed = { head: async () => 0, since: async () => ({ head: 0, history: '', changes: [] }) };

// One contract for the lease service's own reader and for the client that asks it over HTTP.
describe.each(databaseKinds(process.env))('on $name', ({ open }) => {
  let database: TestDatabase;
  let readers: Record<'itself' | 'over HTTP', LeaseReader>;
  let close: () => Promise<void>;
  // One database for all tests: what each of them reads has names of its own, and longer ones than a property finds by chance.
  beforeAll(async () => {
    database = await open();
    const own = createLeaseReader({ db: database.db, renewGraceSeconds: 30 });
    const server = await serveInternalRoutes((app) =>
      addLeaseInternalRoutes(app, own, createDatabaseFeed(database.db)),
    );
    readers = { itself: own, 'over HTTP': createLeaseClient(server.client) };
    close = async () => {
      await server.close();
      await database.close();
    };
  });
  afterAll(() => close());

  describe.each(['itself', 'over HTTP'] as const)('the lease service %s', (way) => {
    let reader: LeaseReader;
    beforeEach(() => {
      reader = readers[way];
    });
    const insert = async (more: Partial<Lease> = {}) => {
      const lease = makeLease({ createdAt: now, expiresAt: now + 300_000, ...more });
      await new LeaseStore(database.db).insert(lease);
      return lease.id;
    };

    test('another service gets viewer, content and end of a lease, and its revocation', async () => {
      expect(await reader.findLease(await insert())).toEqual(
        createLeaseState({ expiresAt: now + 300_000, renewableUntil: now + 330_000 }),
      );
      const revoked = await insert({ revokedAt: now + 1, revokedBy: 'management' });
      expect(await reader.findLease(revoked)).toMatchObject({ revokedAt: now + 1 });
    });

    test('another service gets null for an unknown or malformed lease id, whatever it contains', async () => {
      for (const id of [randomUUID(), '..', '../marks', 'a/b', '%00', '?x', '#', ' '])
        expect(await reader.findLease(id)).toBeNull();
      await fc.assert(
        fc.asyncProperty(anyText, async (id) => {
          expect(await reader.findLease(id)).toBeNull();
        }),
        { numRuns: 40 },
      );
    });

    test('another service gets each of a hundred leases that it asks for at once, revoked, malformed and unknown ones among them', async () => {
      const leaseIds = [];
      for (let n = 0; n < 100; n++)
        leaseIds.push(await insert(n % 9 === 4 ? { revokedAt: now + n, revokedBy: 'viewer' } : {}));
      // Not written to the rows yet.
      const unwritten = {
        viewerId: 'eve',
        contentId: null,
        createdAfter: 0,
        createdUpTo: now,
        expiringAfter: 0,
      };
      await new RevocationStore(database.db).insert(
        { ...unwritten, revokedAt: now + 1, reason: null, auditNumber: null },
        null,
      );
      const covered = await insert({ viewerId: 'eve' });
      const asked = [...leaseIds, covered, randomUUID(), 'a/b', randomUUID().toUpperCase()];
      const found = await Promise.all(asked.map((id) => reader.findLease(id)));
      expect(found.map((state) => (state === null ? null : state.revokedAt))).toEqual([
        ...leaseIds.map((_, n) => (n % 9 === 4 ? now + n : null)),
        now + 1,
        null,
        null,
        null,
      ]);
      expect(found.map((state) => state?.viewerId)).toEqual([
        ...leaseIds.map(() => 'ann'),
        'eve',
        undefined,
        undefined,
        undefined,
      ]);
    });

    test('another service gets the latest mark of the viewer, the content or both of each of many pairs that it asks for at once, whatever the ids contain', async () => {
      const marks = new MarkStore(database.db);
      await marks.mark({ viewerId: 'bob the', contentId: 'end' }, now + 1);
      await marks.mark({ viewerId: 'ann', contentId: null }, now + 2);
      await marks.mark({ viewerId: null, contentId: 'film' }, now + 3);
      await marks.mark({ viewerId: 'ann', contentId: 'film' }, now + 1);
      const pairs = [
        ['bob the', 'end'],
        // Joined by a space, these would be the same text.
        ['bob', 'the end'],
        ['ann', 'series'],
        ['ann', 'film'],
        ['bob', 'film'],
        ['bob', 'series'],
        ['%&"\\{}', "'"],
        ['x'.repeat(3_000), 'y'.repeat(256)],
        ['ann', 'series'],
      ] as const;
      expect(await Promise.all(pairs.map(([viewer, content]) => reader.findMark(viewer, content)))).toEqual([
        now + 1,
        null,
        now + 2,
        now + 3,
        now + 3,
        null,
        null,
        null,
        now + 2,
      ]);
    });

    test('another service gets the block of a viewer with its marks, alone and among others', async () => {
      const blocks = new BlockStore(database.db);
      const facts = { blockedAt: now, reason: 'of no concern' };
      await blocks.put({ ...facts, viewerId: 'gil', until: now + 9 });
      await blocks.put({ ...facts, viewerId: 'hal', until: null });
      await new MarkStore(database.db).mark({ viewerId: 'gil', contentId: null }, now);
      const gil = { markedAt: now, blockedUntil: now + 9 };
      const hal = { markedAt: null, blockedUntil: null };
      expect(await reader.findMark('gil', 'rare')).toEqual(gil);
      const names = ['hal', 'ida', 'gil'];
      const found = await Promise.all(names.map((name) => reader.findMark(name, 'rare')));
      expect(found).toEqual([hal, null, gil]);
    });

    test('another service gets the mark of any viewer, whatever the id contains', async () => {
      const marks = new MarkStore(database.db);
      await fc.assert(
        fc.asyncProperty(ids, async (viewerId) => {
          await marks.mark({ viewerId, contentId: null }, now);
          expect(await reader.findMark(viewerId, 'of no mark')).toBe(now);
          expect(await reader.findMark(`${viewerId}&contentId=x`, 'of no mark')).toBeNull();
        }),
        { numRuns: 40 },
      );
    });
  });

  test('another service gets DEPENDENCY_UNAVAILABLE for leases and marks while the database does not answer, and null for a malformed lease id', async () => {
    await database.db.destroy();
    const unavailable = { code: 'DEPENDENCY_UNAVAILABLE' };
    for (const reader of Object.values(readers)) {
      await expect(reader.findLease(randomUUID())).rejects.toMatchObject(unavailable);
      await expect(reader.findMark('ann', 'film')).rejects.toMatchObject(unavailable);
    }
    // The service itself: its answer over HTTP begins with a read of the change feed.
    expect(await readers.itself.findLease("' or 1=1 --")).toBeNull();
  });
});

test('each answer about leases and marks over HTTP carries the number of the change feed from which it is true', async () => {
  const order: string[] = [];
  const note = <V>(name: string, value: Promise<V>) => {
    order.push(name);
    return value;
  };
  const reader: LeaseReader & LeaseBatchReader = {
    findLease: (id) => note('lease', noLeases.findLease(id)),
    findMark: (...pair) => note('mark', noLeases.findMark(...pair)),
    findLeases: (ids) => note('leases', noLeases.findLeases(ids)),
    findMarks: (pairs) => note('marks', noLeases.findMarks(pairs)),
  };
  const head = async () => {
    order.push('head');
    return 7;
  };
  const server = await serveInternalRoutes((app) => addLeaseInternalRoutes(app, reader, { ...feed, head }));
  const client: LeaseClient = createLeaseClient(server.client);
  expect(await client.stamped.findLease(randomUUID())).toEqual({ value: null, asOf: 7 });
  expect(await client.stamped.findMark('ann', 'film')).toEqual({ value: null, asOf: 7 });
  // A number that is read after the row could belong to a change that the row does not show.
  expect(order).toEqual(['head', 'lease', 'head', 'mark']);
  order.length = 0;
  const { findLease, findMark } = client.stamped;
  const placed = { value: null, asOf: 7 };
  expect(await Promise.all([findLease('a'), findLease('b')])).toEqual([placed, placed]);
  expect(await Promise.all([findMark('ann', 'film'), findMark('ann', 'x')])).toEqual([placed, placed]);
  expect(order).toEqual(['head', 'leases', 'head', 'marks']);
  await server.close();
});

test('another service reports uses of sessions over HTTP, and a report without the secret or of another form changes nothing', async () => {
  const reports: [string, number][][] = [];
  const mount = (app: App) =>
    addLeaseInternalRoutes(app, noLeases, feed, async (uses) => void reports.push([...uses]));
  const served = await serveInternalRoutes(mount);
  await reportSessionUses(served.client)(new Map([['a', 7]]));
  const forms = [{}, { uses: [] }, { uses: { a: '7' } }, { uses: { a: -1 } }, { uses: { a: 1.5 } }];
  for (const body of forms)
    await expect(served.client.post(sessionUsesPath, body, () => null)).rejects.toThrow();
  await served.close();
  const gated = await serveBehindGate('a secret that the caller does not know', mount);
  const forged = await fetch(`${gated.url}${sessionUsesPath}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uses: { a: 7 } }),
  });
  expect([401, 403, 404]).toContain(forged.status);
  await gated.close();
  expect(reports).toEqual([[['a', 7]]]);
});

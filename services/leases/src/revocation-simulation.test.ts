import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, openDatabase } from '@latchkey/shared/db';
import { databaseKinds } from '@latchkey/shared/testing';
import fc from 'fast-check';
import { describe, test, vi } from 'vitest';
import { contentIds, ExpectedLeases, viewerIds } from './expected-leases.fixture.ts';
import { openLeases } from './lease.fixture.ts';
import { type SimulatedAct, SimulatedActs } from './simulated-acts.fixture.ts';
import { openForEachTest } from './stored-leases.fixture.ts';

/** As in `authority-simulation.test.ts`: a sequence of acts on a database takes as long as 5,000 interleavings in memory. */
const sequences = Math.ceil(Number(process.env.SIMULATION_RUNS ?? 100_000) / 5_000);
const seed = Number(process.env.SIMULATION_SEED ?? 20_260_101);
/** In the long form it takes some minutes on each database. */
vi.setConfig({ testTimeout: 3_600_000 });

const some = <Kind extends string>(...kinds: Kind[]) => fc.constantFrom(...kinds);
const pick = fc.nat({ max: 150 });
const deviceId = fc.constantFrom(null, 'tv', 'phone');
const viewerId = fc.constantFrom(...viewerIds);
const contentId = fc.constantFrom(...contentIds);
const none = fc.constant(null);
/** A viewer, a content or both. */
const selector = fc.oneof(
  fc.record({ viewerId, contentId: none }),
  fc.record({ viewerId: none, contentId }),
  fc.record({ viewerId, contentId }),
);
/** Around the grace and the times for which leases live and are kept. */
const ms = fc.constantFrom(1, 1, 500, 29_999, 60_000, 120_000);

const act: fc.Arbitrary<SimulatedAct> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: some('create', 'session'), viewerId, contentId, deviceId }) },
  { weight: 4, arbitrary: fc.record({ kind: some('crowd'), viewerId, contentId }) },
  { weight: 4, arbitrary: fc.record({ kind: some('renew', 'use', 'release'), pick }) },
  { weight: 6, arbitrary: fc.record({ kind: some('revoke'), selector }) },
  { weight: 1, arbitrary: fc.record({ kind: some('revoke and create'), selector, viewerId, contentId }) },
  { weight: 1, arbitrary: fc.record({ kind: some('revoke and renew'), selector, pick }) },
  { weight: 2, arbitrary: fc.record({ kind: some('advance'), ms }) },
  { weight: 3, arbitrary: fc.record({ kind: some('write', 'write', 'purge') }) },
);

/** Counts and purges use other threads than the one of the process, and a database in memory has none. */
const sqliteFile = {
  name: 'SQLite in a file',
  async open() {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-simulation-'));
    const db = openDatabase({ sqlitePath: join(folder, 'latchkey.db') });
    await migrate(db);
    const close = async () => {
      await db.destroy();
      rmSync(folder, { recursive: true });
    };
    return { db, close };
  },
};
const kinds = [sqliteFile, ...databaseKinds(process.env).filter(({ name }) => name === 'Postgres')];

describe.each(kinds)('in random sequences of acts on $name', (kind) => {
  const database = openForEachTest(kind);

  test('a lease that a revocation covers reads as revoked everywhere, at once and until it is purged, and no other lease does', async () => {
    const sequence = fc.array(act, { minLength: 4, maxLength: 30, size: 'max' });
    const property = fc.asyncProperty(sequence, async (acts) => {
      const { db } = database;
      for (const table of ['sessions', 'leases', 'revocations', 'marks'] as const)
        await db.deleteFrom(table).execute();
      const service = await openLeases(db);
      // Only a content with a playlist has sessions.
      const film = service.contents.get('film');
      for (const id of contentIds) if (film) service.contents.set(id, film);
      const expected = new ExpectedLeases(service, db);
      const simulated = new SimulatedActs(expected, service, db);
      try {
        for (const next of acts) {
          await simulated.apply(next);
          await expected.check();
        }
        await expected.checkAll();
      } finally {
        await service.app.close();
      }
    });
    await fc.assert(property, { numRuns: sequences, seed });
  });
});

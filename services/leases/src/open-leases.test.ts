import { type Database, inTransaction } from '@latchkey/shared/db';
import { createManualClock, databaseKinds } from '@latchkey/shared/testing';
import type { CompiledQuery, QueryId, RootOperationNode } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { listLeases } from './list-leases.ts';
import { RevocationStore } from './revocation-store.ts';
import { writeSome } from './revocation-writer.ts';
import { insertLeases, openForEachTest } from './stored-leases.fixture.ts';

const count = 1_000;
const written = 400;
const everything = { viewerId: null, contentId: null };

describe.each(databaseKinds(process.env))('on $name', (kind) => {
  const clock = createManualClock();
  const now = clock.now();
  /** When the newest lease was created. */
  const newest = now - 1_000;
  const database = openForEachTest(kind);

  /** A revocation of a content, at a time later than its leases, whose newest rows are written. */
  beforeEach(async () => {
    const rows = await insertLeases(database.db, count, (n) => ({
      created_at: newest - n,
      expires_at: now + 1_000_000,
      revoked_at: n < written ? now : null,
      revoked_by: n < written ? 'management' : null,
    }));
    const revocation = { viewerId: null, contentId: 'film', createdAfter: 0, createdUpTo: now };
    const ends = { expiringAfter: now - 30_000, revokedAt: now, reason: null, auditNumber: null };
    const store = new RevocationStore(database.db);
    await store.insert({ ...revocation, ...ends }, null);
    const [unfinished] = await store.listUnfinished(everything);
    const last = rows[written - 1];
    if (!unfinished || !last) throw new Error('the revocation is missing');
    await store.note(unfinished, { written, cursor: { at: last.created_at, id: last.id }, finishedAt: null });
  });

  it('the writer of a revocation and the list of revoked leases search from the last row that was written on, not from the time of the revocation', async () => {
    const starts: number[] = [];
    const watched = watch(database.db, ({ sql, parameters }) => {
      if (!/^select .*from "leases" .*"created_at" <= /.test(sql)) return;
      // The upper bound is the newest of the times that are asked for.
      starts.push(Math.max(...parameters.map(Number).filter((value) => value <= now)));
    });
    const page = await listLeases(
      { db: watched },
      { viewerId: null, contentId: 'film', state: 'revoked' },
      now,
      100,
      null,
    );
    expect(page.leases.map(({ createdAt }) => createdAt)).toEqual(
      Array.from({ length: 100 }, (_, n) => newest - n),
    );
    const step = await inTransaction(watched, (tx) => writeSome(tx, count, clock));
    expect(step).toEqual({ written: count - written });
    expect(starts).toEqual([newest - written + 1, newest - written + 1]);
  });
});

function watch(db: Database, onQuery: (query: CompiledQuery) => void): Database {
  const executor = db.getExecutor();
  const nodes = new WeakMap<QueryId, RootOperationNode>();
  return db.withPlugin({
    transformQuery({ node, queryId }) {
      nodes.set(queryId, node);
      return node;
    },
    async transformResult({ queryId, result }) {
      const node = nodes.get(queryId);
      if (node) onQuery(executor.compileQuery(node, queryId));
      return result;
    },
  });
}

import { databaseKinds } from '@latchkey/shared/testing';
import { expect, test } from 'vitest';
import { contentId, leaseId, popularContentId, viewerId } from './population.ts';
import { seedLeases } from './seed-leases.ts';

const population = { leases: 45_000, contents: 7 };

test.each(databaseKinds(process.env))(
  'the seeded rows have the ids that the viewers of the load generator use, on $name',
  async ({ open }) => {
    const { db, close } = await open();
    try {
      await seedLeases(db, population, 1_800_000_000_000, () => {});
      const rows = await db
        .selectFrom('leases')
        .select(['id', 'viewer_id', 'content_id', 'created_at'])
        .orderBy('created_at')
        .orderBy('viewer_id')
        .execute();
      expect(rows).toHaveLength(population.leases);
      const byId = new Map(rows.map((row) => [row.id, row]));
      for (const n of [0, 1, 10, 19_999, 20_000, 44_999]) {
        expect(byId.get(leaseId(n))).toMatchObject({
          viewer_id: viewerId(n, population),
          content_id: contentId(n, population),
        });
      }
      expect(rows.filter((row) => row.content_id === popularContentId)).toHaveLength(4_500);
      const contents = await db.selectFrom('contents').select('id').execute();
      expect(contents.map(({ id }) => id).sort()).toEqual([0, 1, 2, 3, 4, 5, 6].map((n) => `film-${n}`));
    } finally {
      await close();
    }
  },
  120_000,
);

import { expect, test } from 'vitest';
import { databaseKinds } from '../testing/test-database.ts';
import { keepQuery } from './keep-query.ts';

test.each(databaseKinds(process.env))(
  'a kept query on $name is built once and finds the row of each call',
  async ({ open }) => {
    const { db, close } = await open();
    for (const viewer_id of ['ann', 'ben'])
      await db
        .insertInto('marks')
        .values({ viewer_id, content_id: 'film', marked_at: viewer_id.length })
        .execute();
    let built = 0;
    const find = keepQuery(db, (viewerId) => {
      built++;
      return db
        .selectFrom('marks')
        .select('viewer_id')
        .where('content_id', '=', 'film')
        .where('viewer_id', '=', viewerId);
    });
    const found = await Promise.all(['ann', 'ben', 'eve', 'ann'].map(find));
    expect(found).toEqual([[{ viewer_id: 'ann' }], [{ viewer_id: 'ben' }], [], [{ viewer_id: 'ann' }]]);
    expect(built).toBe(1);
    await close();
  },
);

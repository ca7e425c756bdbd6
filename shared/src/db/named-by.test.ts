import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createContentPatterns, isContentPattern, isWithinPatterns } from '../contracts/index.ts';
import { databaseKinds, type TestDatabase } from '../testing/test-database.ts';
import { namedBy } from './named-by.ts';

const letters = fc.stringMatching(/^[aBb_-]{1,4}$/);
const patterns = fc.array(
  fc
    .oneof(
      letters,
      letters.map((text) => `${text}*`),
      fc.constant('*'),
    )
    .filter(isContentPattern),
  {
    maxLength: 5,
  },
);

describe.each(databaseKinds(process.env))('on $name', ({ open }) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());

  /** Which of the texts the condition holds for. */
  async function filter(texts: readonly string[], named: readonly string[]): Promise<string[]> {
    const within = namedBy(database.db, named);
    if (!within) throw new Error('there is no condition');
    const given = sql.join(
      texts.map((text) => sql`select cast(${text} as text) as id`),
      sql` union all `,
    );
    const query = sql<{
      id: string;
    }>`select given.id from (${given}) as given where ${within(sql.ref('given.id'))}`;
    return (await query.execute(database.db)).rows.map(({ id }) => id);
  }

  test('the database finds the ids that patterns name, and the patterns within them', async () => {
    await fc.assert(
      fc.asyncProperty(
        patterns,
        fc.uniqueArray(letters, { minLength: 1 }),
        patterns,
        async (named, ids, others) => {
          const { has } = createContentPatterns(named);
          expect(await filter(['', ...ids], named)).toEqual(ids.filter(has));
          const within = others.filter((each) => isWithinPatterns([each], named));
          if (others.length > 0) expect(await filter(others, named)).toEqual(within);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('no patterns name nothing, and there is no condition for all contents', async () => {
    expect(await filter(['a'], [])).toEqual([]);
    expect(namedBy(database.db, null)).toBeUndefined();
  });
});

import { rightsOf } from '@latchkey/shared/db';
import { expect, test } from 'vitest';
import type { Database, Ledger } from './own-tables.ts';

const others = ['leases', 'contents', 'marks', 'key_versions'] as const;

/** Never called. The compiler judges it in `npm run check`: a line that compiles after all is an error there. */
export async function queriesThatDoNotCompile(db: Database, ledger: Ledger): Promise<void> {
  db.selectFrom('api_keys');
  // @ts-expect-error
  db.selectFrom('leases');
  // @ts-expect-error
  db.selectFrom('contents');
  // @ts-expect-error
  db.selectFrom('marks');
  // @ts-expect-error
  db.selectFrom('key_versions');
  await ledger.write(async ({ tx }) => {
    tx.selectFrom('api_keys');
    // @ts-expect-error
    tx.deleteFrom('leases');
  });
}

test('the role of the auth service has no right on the tables that its code cannot name', () => {
  expect(others.filter((table) => table in rightsOf('auth'))).toEqual([]);
});

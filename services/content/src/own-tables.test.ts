import { rightsOf } from '@latchkey/shared/db';
import { expect, test } from 'vitest';
import type { Database, Ledger } from './own-tables.ts';

const others = ['leases', 'api_keys', 'setup_claim', 'revocations'] as const;

/** Never called. The compiler judges it in `npm run check`: a line that compiles after all is an error there. */
export async function queriesThatDoNotCompile(db: Database, ledger: Ledger): Promise<void> {
  db.selectFrom('contents');
  // @ts-expect-error
  db.selectFrom('leases');
  // @ts-expect-error
  db.selectFrom('api_keys');
  // @ts-expect-error
  db.selectFrom('setup_claim');
  // @ts-expect-error
  db.selectFrom('revocations');
  await ledger.write(async ({ tx }) => {
    tx.selectFrom('contents');
    // @ts-expect-error
    tx.deleteFrom('leases');
  });
}

test('the role of the content service has no right on the tables that its code cannot name', () => {
  expect(others.filter((table) => table in rightsOf('content'))).toEqual([]);
});

import { expect, test } from 'vitest';
import { isDatabaseUnavailable, throwDatabaseFault } from './database-fault.ts';
import { openDatabase } from './open.ts';

const fault = (code: string, message = 'x') => Object.assign(new Error(message), { code });

test.each([
  'SQLITE_BUSY_SNAPSHOT',
  'SQLITE_FULL',
  'SQLITE_IOERR_WRITE',
  'SQLITE_READONLY',
  'SQLITE_CANTOPEN',
  'SQLITE_CORRUPT',
  '08006',
  '28P01',
  '3D000',
  '53300',
  '57014',
  '58030',
  '40001',
  '25006',
  '0A000',
  '42501',
  'ECONNREFUSED',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
])('%s means that the database could not be asked', (code) =>
  expect(isDatabaseUnavailable(fault(code))).toBe(true),
);

test.each([
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_ERROR',
  'SQLITE_MISUSE',
  '23505',
  '42P01',
  '22021',
  'ERR_INVALID_ARG_TYPE',
  '',
])('%s means that it was asked something wrong', (code) =>
  expect(isDatabaseUnavailable(fault(code))).toBe(false),
);

test('database faults without a code are recognised by their messages, and a value that is not an error is not a fault', () => {
  expect(isDatabaseUnavailable(new Error('timeout exceeded when trying to connect'))).toBe(true);
  expect(isDatabaseUnavailable(new Error('Connection terminated unexpectedly'))).toBe(true);
  expect(isDatabaseUnavailable(new Error('something else'))).toBe(false);
  for (const thrown of [null, undefined, 'SQLITE_BUSY', { code: 'SQLITE_BUSY' }]) {
    expect(isDatabaseUnavailable(thrown)).toBe(false);
  }
});

test('an unreachable Postgres counts as an unavailable database, and its error names DATABASE_URL and the address', async () => {
  // Port 9 (discard) of this machine has no listener.
  const db = openDatabase({ databaseUrl: 'postgres://nobody@127.0.0.1:9/none', sqlitePath: '' });
  const asked = db.selectFrom('contents').select('id').execute();
  const error = await asked.catch((thrown: unknown) => thrown);
  expect(isDatabaseUnavailable(error)).toBe(true);
  expect(error).toMatchObject({
    message: 'no server of DATABASE_URL can be used: 127.0.0.1:9: connect ECONNREFUSED 127.0.0.1:9',
    code: 'ECONNREFUSED',
  });
  await db.destroy();
});

test('a query that fails because the database is away throws DEPENDENCY_UNAVAILABLE, and another fault is thrown as it is', () => {
  const away = fault('ECONNREFUSED');
  expect(() => throwDatabaseFault(away)).toThrow(
    expect.objectContaining({ code: 'DEPENDENCY_UNAVAILABLE', cause: away }),
  );
  expect(() => throwDatabaseFault(fault('SQLITE_ERROR', 'no such table'))).toThrow('no such table');
});

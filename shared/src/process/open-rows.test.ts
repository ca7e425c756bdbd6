import { expect, onTestFinished, test } from 'vitest';
import { createSystemClock } from '../clock/index.ts';
import { createShutdown, type Dependency } from '../lifecycle/index.ts';
import { openRows } from './open-rows.ts';

/** Opens rows as a service does, and says what the operator is warned of. */
function open(databaseUrl?: string) {
  const warnings: string[] = [];
  const log = { info() {}, warn: (message: string) => void warnings.push(message), error() {} };
  const shutdown = createShutdown(log);
  onTestFinished(() => shutdown.run());
  const dependencies: Dependency[] = [];
  const context = { clock: createSystemClock(), log, shutdown, dependencies };
  const values = {
    sqlitePath: ':memory:',
    ...(databaseUrl && { databaseUrl: { reveal: () => databaseUrl } }),
  };
  return { rows: openRows('leases', values, context), warnings };
}

test('a service that runs on SQLite warns once, in words that name DATABASE_URL and the database', async () => {
  const { rows, warnings } = open();
  for (let n = 0; n < 2; n++) {
    await expect(rows.checkSchema()).rejects.toThrow('it is SQLite in memory. Run: latchkey migrate');
  }
  expect(warnings).toEqual([expect.stringMatching(/^DATABASE_URL is not set: leases .* SQLite in memory/)]);
});

test('a service that has a Postgres does not warn', () => {
  // Port 9 (discard) of this machine has no listener; nothing is asked of it yet.
  expect(open('postgres://sam:geheim@127.0.0.1:9/latchkey').warnings).toEqual([]);
});

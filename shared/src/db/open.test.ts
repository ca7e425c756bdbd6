import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { nameDatabase } from './open.ts';

const named = (databaseUrl: string) =>
  nameDatabase({ databaseUrl: { reveal: () => databaseUrl }, sqlitePath: 'not/this.db' });

test.each([
  ['postgres://sam:geheim@db.example:6432/latchkey', 'Postgres at db.example:6432/latchkey'],
  ['postgresql://sam:geheim@db.example/latchkey?sslmode=require', 'Postgres at db.example/latchkey'],
  ['postgres://sam:geheim@[::1]:5432', 'Postgres at [::1]:5432'],
  ['postgres://sam:geheim@x/latchkey?host=/run/pg&port=6432', 'Postgres at /run/pg:6432/latchkey'],
  ['postgres://db.example/latchkey?user=sam&password=geheim', 'Postgres at db.example/latchkey'],
])('a Postgres is named by host, port and database, without user and password (row %#)', (url, name) => {
  expect(named(url)).toBe(name);
});

test('SQLite is named by its file, from wherever the process runs', () => {
  expect(nameDatabase({ sqlitePath: 'data/latchkey.db' })).toBe(`SQLite at ${resolve('data/latchkey.db')}`);
  expect(nameDatabase({ sqlitePath: '/srv/latchkey.db' })).toBe('SQLite at /srv/latchkey.db');
  expect(nameDatabase({ sqlitePath: ':memory:' })).toBe('SQLite in memory');
});

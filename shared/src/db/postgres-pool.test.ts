import { expect, test } from 'vitest';
import { openPostgresPool } from './postgres-pool.ts';

const url = process.env.TEST_POSTGRES_URL ?? '';
const connectionTimeoutMs = 60_000;

test.skipIf(url === '')(
  'a connection that breaks between two statements of a transaction fails that transaction, and not the process',
  async () => {
    const { pool } = openPostgresPool(url, () => {}, { connectionTimeoutMs });
    const client = await pool.connect();
    await client.query('BEGIN');
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    const ended = new Promise((resolve) => client.once('end', resolve));
    await pool.query('SELECT pg_terminate_backend($1)', [rows[0].pid]);
    await ended;
    await expect(client.query('SELECT 1')).rejects.toThrow();
    client.release(true);
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
  },
);

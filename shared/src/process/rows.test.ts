import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');

test.each(['auth', 'content', 'leases'])(
  'the %s service does not start without DATABASE_URL, and says which form it accepts: on a file of its own it would have a change feed of its own',
  (service) => {
    const env = { PATH: process.env.PATH, INTERNAL_SECRET: 'between services, 32 bytes or more' };
    const { status, stderr } = spawnSync(process.execPath, [`services/${service}/src/serve.ts`], {
      cwd: root,
      env: { ...env, ALLOW_ANONYMOUS_VIEWERS: 'true', SQLITE_PATH: ':memory:' },
      encoding: 'utf8',
      timeout: 30_000,
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/DATABASE_URL.*postgres/);
  },
);

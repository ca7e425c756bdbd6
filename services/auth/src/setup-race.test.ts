import { randomBytes, randomUUID } from 'node:crypto';
import type { Database } from '@latchkey/shared/db';
import type { AuditFacts } from '@latchkey/shared/http';
import { databaseKinds } from '@latchkey/shared/testing';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AuthFixture, startAuth, testBootstrapKey } from './auth.fixture.ts';
import { createApiKey } from './routes/create-and-read-api-keys.ts';
import { claimSetup } from './routes/setup.ts';

const facts = {
  actor: { kind: 'anonymous', id: null },
  clientIp: '127.0.0.1',
  requestId: 'race',
} as const satisfies AuditFacts;

/** In this database: other tests have theirs on the same server. */
async function waitingForLock(db: Database): Promise<boolean> {
  const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const { rows } = await waiting.execute(db);
  return rows.length > 0;
}

describe.each(databaseKinds(process.env))('setup under contention on $name', (kind) => {
  let auth: AuthFixture;
  beforeEach(async () => {
    auth = await startAuth({ kind });
  });
  afterEach(() => auth.close());

  const storedKeys = async () => {
    const rows = await auth.host.db.selectFrom('api_keys').select('id').execute();
    return rows.length;
  };

  it('setup waits for an API key that is being created, and is then refused', async () => {
    const { db, ledger } = auth.host;
    const ports = { db, randomId: randomUUID, randomBytes };
    const created = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const creation = createApiKey(
      {
        ...ports,
        ledger: {
          write: (work) =>
            ledger.write(async (entry) => {
              const result = await work(entry);
              created.resolve();
              await release.promise;
              return result;
            }),
        },
      },
      { name: 'first', scope: 'full', expiresAt: null, metadata: {}, contents: null },
      facts,
    );
    await created.promise;
    const setup = claimSetup({ ...ports, ledger }, 'second', facts);
    // SQLite has one connection here, so there is nothing to ask it; Postgres says when somebody waits.
    if (kind.name === 'Postgres') await expect.poll(() => waitingForLock(db), { timeout: 20_000 }).toBe(true);
    release.resolve();
    await creation;
    await expect(setup).rejects.toMatchObject({ code: 'SETUP_ALREADY_DONE' });
    expect(await storedKeys()).toBe(1);
  });

  it('concurrent rotations of an API key replace it once', async () => {
    const { id } = await auth.create();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        auth.ask('POST', `/api/v1/api-keys/${id}/rotate`, { credential: testBootstrapKey }),
      ),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array(9).fill(404)]);
    expect(await storedKeys()).toBe(2);
  });
});

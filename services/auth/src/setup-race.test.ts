import { databaseKinds } from '@latchkey/shared/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AuthFixture, startAuth, testBootstrapKey } from './auth-fixture.ts';

const callers = 200;

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

  it('is won by exactly one of 200 callers at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: callers }, () => auth.ask('POST', '/api/v1/setup')),
    );
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses).toEqual([201, ...Array(callers - 1).fill(409)]);
    expect(await storedKeys()).toBe(1);
    const audit = await auth.host.db.selectFrom('audit').select(['action', 'outcome']).execute();
    expect(audit.filter((row) => row.outcome === 'done')).toEqual([{ action: 'setup', outcome: 'done' }]);
  });

  it('makes no first key beside one that is created at the same time', async () => {
    const setups = Array.from({ length: 20 }, () => auth.ask('POST', '/api/v1/setup'));
    const creations = Array.from({ length: 20 }, () =>
      auth.ask('POST', '/api/v1/api-keys', { credential: testBootstrapKey, body: { name: 'racer' } }),
    );
    const [setupAnswers, creationAnswers] = await Promise.all([Promise.all(setups), Promise.all(creations)]);
    const won = setupAnswers.filter((answer) => answer.status === 201);
    expect(creationAnswers.map((answer) => answer.status)).toEqual(Array(20).fill(201));
    expect(won.length).toBeLessThanOrEqual(1);
    expect(await storedKeys()).toBe(20 + won.length);
    if (won.length === 0) return;
    // The winner found no row, so in the order of the feed its key comes first.
    const first = await auth.host.db
      .selectFrom('audit')
      .select('action')
      .where('outcome', '=', 'done')
      .orderBy('number')
      .executeTakeFirst();
    expect(first?.action).toBe('setup');
  });

  it('rotates a key once, however many ask at once', async () => {
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

import { afterEach, beforeEach, expect, it } from 'vitest';
import { addAuditRows, ofViewer } from '../audit.fixture.ts';
import { type AuthFixture, startAuth, testBootstrapKey } from '../auth.fixture.ts';
import { createAuditFollower } from '../webhooks/follow-audit.ts';

const path = '/api/v1/webhooks';
const admin = { credential: testBootstrapKey };
const wanted = { name: 'Pager', url: 'https://hooks.example.com/in?token=abc', events: ['lease.revoked'] };

let auth: AuthFixture;
beforeEach(async () => {
  auth = await startAuth();
});
afterEach(() => auth.close());

const create = (body: object = wanted) => auth.ask('POST', path, { ...admin, body });

it('the secret of a webhook is in the answer that made it, and in no list, audit or log', async () => {
  const { status, body } = await create();
  expect(status).toBe(201);
  expect(body.webhook).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    ...wanted,
    ...{ status: 'active', pausedBy: null, previousSecretUntil: null, pending: 0, dropped: 0 },
    ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
  });
  const one = `${path}/${body.webhook.id}`;
  const rotated = await auth.ask('POST', `${one}/rotate-secret`, admin);
  expect(rotated.body.secret).not.toBe(body.secret);
  expect(rotated.body.webhook.previousSecretUntil).toBe('2026-01-02T00:00:00.000Z');
  const shown = await Promise.all([
    auth.ask('GET', path, admin),
    auth.ask('GET', one, admin),
    auth.ask('PATCH', one, { ...admin, body: { name: 'Other' } }),
    auth.ask('POST', `${one}/test`, admin),
    auth.ask('GET', `${one}/deliveries`, admin),
  ]);
  const audit = await auth.host.db.selectFrom('audit').selectAll().execute();
  const written = JSON.stringify([shown, audit, auth.host.lines, auth.host.operatorLines]);
  for (const secret of [body.secret, rotated.body.secret]) expect(written).not.toContain(secret.slice(6));
  // The path of some receivers is a secret of theirs.
  expect(JSON.stringify(audit)).not.toContain('token=abc');
  expect(audit.map(({ action }) => action).sort()).toEqual([
    'webhook.create',
    'webhook.rotate-secret',
    'webhook.test',
    'webhook.update',
  ]);
});

it('many different events are refused in proportional time, with an answer that names the first faults', async () => {
  const refuse = async (count: number, times: number) => {
    const events = Array.from({ length: count }, (_, index) => `${index}`);
    const before = process.cpuUsage();
    for (let time = 0; time < times; time++) expect((await create({ ...wanted, events })).status).toBe(400);
    // Of this process alone: what else the machine does is not in it.
    return process.cpuUsage(before).user;
  };
  let [short, long] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let run = 0; run < 3; run++) {
    short = Math.min(short, await refuse(500, 16));
    long = Math.min(long, await refuse(8_000, 1));
  }
  // 1 is proportional, 16 is the square.
  expect(long / short).toBeLessThan(4);
  const events = Array.from({ length: 8_000 }, (_, index) => `${index}`);
  const { errors } = (await create({ ...wanted, events })).body;
  expect([errors.length, errors[0].message]).toEqual([1_000, 'must NOT have more than 5 items']);
});

it('a webhook gets what happened while it was active, also where the audit is read later', async () => {
  const { db } = auth.host;
  const pause = (id: string, status: string) =>
    auth.ask('PATCH', `${path}/${id}`, { ...admin, body: { status } });
  const revoke = (viewer: string) =>
    addAuditRows(db, [{ at: auth.clock.now(), ...ofViewer(viewer), affected: 1 }]);
  const always = (await create({ ...wanted, name: 'always' })).body.webhook.id;
  const paused = (await create({ ...wanted, name: 'paused' })).body.webhook.id;
  await revoke('first');
  await pause(paused, 'paused');
  await revoke('early');
  await pause(paused, 'active');
  const added = (await create({ ...wanted, name: 'added' })).body.webhook.id;
  const still = (await create({ ...wanted, name: 'still paused' })).body.webhook.id;
  await revoke('late');
  await pause(still, 'paused');
  await revoke('last');
  await createAuditFollower({ db, clock: auth.clock, onDropped: () => {} }).run();
  const viewersOf = async (id: string) =>
    (await auth.ask('GET', `${path}/${id}/deliveries`, admin)).body.deliveries
      .map(({ payload }: { payload: { data: { viewerId: string } } }) => payload.data.viewerId)
      .sort();
  expect(await Promise.all([always, paused, added, still].map(viewersOf))).toEqual([
    ['early', 'first', 'last', 'late'],
    ['first', 'last', 'late'],
    ['last', 'late'],
    ['late'],
  ]);
});

it('deliveries are listed newest first, page by page', async () => {
  const { body } = await create();
  const one = `${path}/${body.webhook.id}`;
  const made: string[] = [];
  for (let n = 0; n < 5; n++) {
    auth.clock.advance(1_000);
    made.unshift((await auth.ask('POST', `${one}/test`, admin)).body.delivery.id);
  }
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const page = await auth.ask('GET', `${one}/deliveries?limit=2${query}`, admin);
    seen.push(...page.body.deliveries.map(({ id }: { id: string }) => id));
    cursor = page.body.next_cursor;
  }
  expect(seen).toEqual(made);
});

import { createAuditSealer } from '@latchkey/shared/audit';
import { afterEach, beforeEach, expect, it } from 'vitest';
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
const codeOf = async (body: object) => {
  const { status, body: answer } = await create(body);
  return `${status} ${answer.code ?? ''} ${answer.detail ?? ''}`.trim();
};

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

it('many different events are refused in proportional time', async () => {
  const refuse = async (count: number, times: number) => {
    const events = Array.from({ length: count }, (_, index) => `${index}`);
    const startMs = performance.now();
    for (let time = 0; time < times; time++) expect((await create({ ...wanted, events })).status).toBe(400);
    return performance.now() - startMs;
  };
  let [short, long] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let run = 0; run < 3; run++) {
    short = Math.min(short, await refuse(500, 16));
    long = Math.min(long, await refuse(8_000, 1));
  }
  // 1 is proportional, 16 is the square.
  expect(long / short).toBeLessThan(4);
});

it.each([
  ['https://elsewhere.example.com/', 'has the origin https://elsewhere.example.com'],
  ['https://hooks.example.com:8443/', 'has the origin https://hooks.example.com:8443'],
  ['http://hooks.example.com/', 'has the origin http://hooks.example.com'],
  ['https://hooks.example.com@169.254.169.254/', 'must not have a user name or password'],
  ['https://me:pass@hooks.example.com/', 'must not have a user name or password'],
  ['ftp://hooks.example.com/', 'must be a URL that starts with https://'],
  ['https://hooks.example.com/#x', 'must not have a fragment'],
  ['hooks.example.com', 'must be a URL that starts with https://'],
])(
  'a webhook to %s is refused, because WEBHOOK_ORIGINS does not list it or it is malformed',
  async (url, why) => {
    expect(await codeOf({ ...wanted, url })).toContain(`400 VALIDATION_FAILED url ${why}`);
    const { body } = await create();
    const changed = await auth.ask('PATCH', `${path}/${body.webhook.id}`, { ...admin, body: { url } });
    expect(changed.status).toBe(400);
  },
);

it('without WEBHOOK_ORIGINS no webhook can be added, and the answer says which variable is missing', async () => {
  await auth.close();
  auth = await startAuth({ webhookOrigins: [] });
  expect(await codeOf(wanted)).toMatch(/^409 WEBHOOKS_OFF .*WEBHOOK_ORIGINS/);
  expect((await auth.ask('GET', path, admin)).body).toEqual({ webhooks: [], origins: [] });
});

it.each([
  { ...wanted, events: [] },
  { ...wanted, events: ['lease.created'] },
  { ...wanted, name: ' ' },
  { ...wanted, x: 1 },
])('a webhook that is not valid gets 400: %j', async (body) => {
  expect(await codeOf(body)).toMatch(/^400 VALIDATION_FAILED/);
});

it('there are at most 20 webhooks', async () => {
  for (let n = 0; n < 20; n++) expect((await create()).status).toBe(201);
  expect(await codeOf(wanted)).toMatch(/^409 WEBHOOK_LIMIT_REACHED/);
});

it('a test and a replay are deliveries that wait, and a replay keeps the id and the body', async () => {
  const { body } = await create();
  const one = `${path}/${body.webhook.id}`;
  const test = await auth.ask('POST', `${one}/test`, admin);
  expect(test.status).toBe(202);
  const { id, payload } = test.body.delivery;
  expect(payload).toMatchObject({ type: 'webhook.test', data: { webhook: { name: 'Pager' } } });
  await auth.host.db.updateTable('webhook_deliveries').set({ state: 'failed', tries: 9 }).execute();
  const list = async (query = '') => (await auth.ask('GET', `${one}/deliveries${query}`, admin)).body;
  expect((await list('?state=failed')).deliveries).toMatchObject([{ id, state: 'failed', tries: 9 }]);
  const replay = await auth.ask('POST', `${one}/deliveries/${id}/replay`, admin);
  expect([replay.status, replay.body.delivery]).toMatchObject([
    202,
    { id, state: 'pending', tries: 0, payload },
  ]);
  expect((await list('?state=failed')).deliveries).toEqual([]);
  expect((await list()).deliveries).toHaveLength(1);
});

it('a webhook gets what happened while it was active, also where the rows of the audit are chained later', async () => {
  const { db } = auth.host;
  const pause = (id: string, status: string) =>
    auth.ask('PATCH', `${path}/${id}`, { ...admin, body: { status } });
  const revoke = (viewer: string) =>
    db
      .insertInto('audit')
      .values({
        ...{ at: auth.clock.now(), actor_kind: 'api-key', action: 'lease.revoke', outcome: 'done' },
        ...{ target: `viewer:${viewer}`, actor_id: null, client_ip: null, request_id: null, code: null },
        ...{ affected: 1, count: null, details: null },
      })
      .execute();
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
  await createAuditSealer({ db, clock: auth.clock, secret: null }).run();
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

it('an unknown webhook and an unknown delivery get 404', async () => {
  const { body } = await create();
  const unknown = `${path}/00000000-0000-4000-8000-000000000000`;
  const answers = await Promise.all([
    auth.ask('GET', unknown, admin),
    auth.ask('GET', `${path}/x`, admin),
    auth.ask('PATCH', unknown, { ...admin, body: { name: 'x' } }),
    auth.ask('DELETE', unknown, admin),
    auth.ask('POST', `${unknown}/test`, admin),
    auth.ask('GET', `${unknown}/deliveries`, admin),
    auth.ask('POST', `${path}/${body.webhook.id}/deliveries/msg_x/replay`, admin),
  ]);
  const codes = answers.map(({ status, code }) => `${status} ${code}`);
  expect(codes.slice(0, -1)).toEqual(Array(6).fill('404 WEBHOOK_NOT_FOUND'));
  expect(codes.at(-1)).toBe('404 DELIVERY_NOT_FOUND');
});

it('a deleted webhook is gone, with 204', async () => {
  const { body } = await create();
  const one = `${path}/${body.webhook.id}`;
  const answer = await auth.ask('DELETE', one, admin);
  expect([answer.status, answer.body]).toEqual([204, null]);
  expect((await auth.ask('GET', one, admin)).status).toBe(404);
});

it('before the migration that brings them, webhooks get 503 and other routes work', async () => {
  await auth.host.db.schema.alterTable('webhooks').renameTo('webhooks_to_come').execute();
  const answer = await auth.ask('GET', path, admin);
  expect([answer.status, answer.body.detail]).toEqual([503, expect.stringContaining('latchkey migrate')]);
  expect((await auth.ask('GET', '/api/v1/api-keys', admin)).status).toBe(200);
});

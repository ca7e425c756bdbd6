import { outcomeOf } from '@latchkey/support/black-box/answer';
import type { CallOptions } from '@latchkey/support/black-box/client';
import {
  createApiKey,
  createLease,
  expectKey,
  readAudit,
  registerContent,
  revokeLeases,
} from '@latchkey/support/black-box/server-actions';
import { openTarget } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { describe, expect, it } from 'vitest';

const target = await openTarget();
const { client, adminApiKey: admin } = target;

const tenant = unique('acme');
const [film, series] = [`${tenant}-film`, `${tenant}-series`];
const alone = unique('alone');
const contents = [`${tenant}-*`, alone];
const own = await createApiKey(target, 'full', { contents });
const viewerId = unique('viewer');
const token = viewerToken(target.jwtSecret, viewerId);
for (const id of [film, series, alone]) await registerContent(target, id);

const other = await registerContent(target, unique('other'));
const otherLease = await createLease(target, { token, contentId: other });

const call = (route: string, options: CallOptions = {}, as = own.raw) => {
  const [method = '', path = ''] = route.split(' ');
  return client.call(method, path, { ...options, as });
};

const json = (value: object): CallOptions => ({ json: value });

it('a limited API key manages the contents that its patterns name', async () => {
  const made = `${tenant}-made`;
  const registered = await call('POST /api/v1/content', { json: { id: made, name: 'Made' } });
  expect(outcomeOf(registered)).toBe('201');
  for (const contentId of [made, film, alone]) {
    const paths = [
      `GET /api/v1/content/${contentId}`,
      `GET /keys/${contentId}`,
      `GET /api/v1/content/${contentId}/keys`,
      `GET /api/v1/content/${contentId}/vod-drm`,
      `GET /api/v1/leases?contentId=${contentId}`,
      `GET /api/v1/usage?by=content&id=${contentId}`,
      'GET /api/v1/usage',
    ];
    for (const path of paths) expect([path, outcomeOf(await call(path))]).toEqual([path, '200']);
    const leased = await call('POST /keys/leases', { json: { contentId, viewerId } });
    const { id: leaseId } = leased.json.lease;
    expect(outcomeOf(await call('POST /keys/leases/renew', { json: { leaseId } }))).toBe('200');
    expect(outcomeOf(await call(`GET /api/v1/leases/${leaseId}`))).toBe('200');
    const decided = await call('POST /api/v1/key-decisions', { json: { contentId, viewerId, leaseId } });
    expect(decided.json.outcome).toBe('served');
    const revoked = await call('POST /keys/leases/revoke', { json: { contentId } });
    expect([revoked.status, revoked.json.revoked]).toEqual([200, 1]);
  }
  const marks = await call('GET /api/v1/marks');
  const named = marks.json.marks.filter((mark: { contentId: string }) => mark.contentId === made);
  expect(outcomeOf(await call(`DELETE /api/v1/marks/${named[0].id}`))).toBe('204');
  expect(outcomeOf(await call(`DELETE /api/v1/content/${made}`))).toBe('200');
});

it('lists and counts for a limited API key have its own contents, leases, viewers, marks and API keys alone', async () => {
  const person = unique('person');
  const [mine, theirs] = [unique('mine'), unique('theirs')].map((end) => `${person}-${end}`) as [
    string,
    string,
  ];
  for (const [contentId, viewer] of [
    [series, mine],
    [other, mine],
    [other, theirs],
  ] as const)
    await createLease(target, { token: viewerToken(target.jwtSecret, viewer), contentId });
  const leases = await call(`GET /api/v1/leases?viewerId=${mine}`);
  expect(leases.json).toMatchObject({ total_active: 1, total: 1, next_cursor: null });
  expect(leases.json.leases.map((lease: { contentId: string }) => lease.contentId)).toEqual([series]);
  const seen = await call('GET /api/v1/leases?limit=500');
  for (const { contentId } of seen.json.leases)
    expect([film, series, alone].includes(contentId) || contentId.startsWith(`${tenant}-`)).toBe(true);
  expect((await call(`GET /api/v1/leases?viewerId=${theirs}`)).json).toMatchObject({
    leases: [],
    total_active: 0,
  });
  const viewers = await call(`GET /api/v1/viewers?prefix=${person}`);
  expect(viewers.json).toMatchObject({ viewers: [{ viewerId: mine, activeLeases: 1 }], next_cursor: null });

  await revokeLeases(target, { viewerId: theirs });
  await revokeLeases(target, { viewerId: mine, contentId: series });
  const marks = await call(`GET /api/v1/marks?viewerId=${mine}`);
  expect(marks.json.marks.map((mark: { contentId: string }) => mark.contentId)).toEqual([series]);
  expect((await call(`GET /api/v1/marks?viewerId=${theirs}`)).json.marks).toEqual([]);

  const listed = await call('GET /api/v1/content?limit=500');
  const ids = listed.json.items.map((item: { id: string }) => item.id);
  expect(ids.toSorted()).toEqual(expect.arrayContaining([alone, film, series].toSorted()));
  expect(ids.every((id: string) => id === alone || id.startsWith(`${tenant}-`))).toBe(true);
  expect(listed.json.total).toBe(ids.length);
  const paged = await call('GET /api/v1/content?limit=1&offset=1&sort=name');
  expect(paged.json).toMatchObject({ total: ids.length, items: [{ id: expect.any(String) }] });

  const within = await createApiKey(target, 'playback', { contents: [film] });
  await createApiKey(target, 'playback', { contents: [film, other] });
  await createApiKey(target, 'playback', { contents: [`${tenant}*`] });
  const keys = await call('GET /api/v1/api-keys?limit=1');
  expect([keys.json.api_keys[0].id, keys.json.total]).toEqual([within.id, expect.any(Number)]);
  const rest = await call(`GET /api/v1/api-keys?cursor=${keys.json.next_cursor}`);
  const others = rest.json.api_keys.map((key: { id: string }) => key.id);
  expect(others).toContain(own.id);
  expect(keys.json.total).toBe(others.length + 1);
});

it('a cursor of a list of contents for a limited API key counts only its own', async () => {
  const ids = new Set<string>();
  for (let offset = 0; ; offset++) {
    const { json: page } = await call(`GET /api/v1/content?limit=1&offset=${offset}`);
    if (page.items.length === 0) break;
    ids.add(page.items[0].id);
  }
  expect([...ids].every((id) => id === alone || id.startsWith(`${tenant}-`))).toBe(true);
});

it('what is about the whole server is refused to a limited API key, which is told so', async () => {
  for (const route of [
    ...['GET /api/v1/audit', 'GET /api/v1/statistics', 'GET /api/v1/webhooks', 'GET /api/v1/events'],
    ...['GET /api/v1/usage?by=code', 'GET /api/v1/usage?by=viewer', 'GET /api/v1/usage?by=api-key'],
  ]) {
    const refused = await call(route);
    expect([route, outcomeOf(refused), refused.json]).toMatchObject([
      route,
      '403 INSUFFICIENT_SCOPE',
      { limited: true, scope: 'admin full' },
    ]);
  }
  const byViewer = await call('POST /keys/leases/revoke', json({ viewerId }));
  expect([outcomeOf(byViewer), byViewer.json.limited]).toEqual(['403 INSUFFICIENT_SCOPE', true]);
  await revokeLeases(target, { viewerId: unique('marked') });
  const marks = await client.get('/api/v1/marks?limit=500', admin);
  const whole = marks.json.marks.find((mark: { contentId: string | null }) => mark.contentId === null);
  const lifted = await call(`DELETE /api/v1/marks/${encodeURIComponent(whole.id)}`);
  expect([outcomeOf(lifted), lifted.json.limited]).toEqual(['403 INSUFFICIENT_SCOPE', true]);
  // The scope alone decides first, as for every API key.
  const playback = await createApiKey(target, 'playback', { contents });
  const tooSmall = await call('GET /api/v1/audit', {}, playback.raw);
  expect([outcomeOf(tooSmall), tooSmall.json.limited]).toEqual(['403 INSUFFICIENT_SCOPE', undefined]);
});

it('a lease or a session of other contents does not exist in a decision that a limited API key asks about', async () => {
  const asked = { contentId: film, viewerId, leaseId: otherLease };
  const { json: decision } = await call('POST /api/v1/key-decisions', json(asked));
  expect(decision.code).toBe('LEASE_UNKNOWN');
  const lease = decision.steps.find(({ step }: { step: string }) => step === 'lease');
  expect(lease.facts).toEqual({ leaseId: otherLease, isKnown: false });
  // An admin sees why.
  const all = await client.post('/api/v1/key-decisions', admin, asked);
  expect(JSON.stringify(all.json)).toContain(other);
});

describe('API keys that a limited API key creates', () => {
  const create = (fields: object) => call('POST /api/v1/api-keys', json({ name: 'x', ...fields }));

  it('name the same contents or fewer', async () => {
    for (const fewer of [contents, [film], [`${tenant}-f*`, alone], [`${tenant}-*`]]) {
      const created = await create({ contents: fewer, scope: 'playback' });
      expect([created.status, created.json.api_key]).toMatchObject([
        201,
        { contents: fewer, scope: 'playback' },
      ]);
    }
    for (const more of [[`${tenant}*`], ['*'], [film, 'x'], [`${alone}*`], [other], null, undefined]) {
      const refused = await create({ ...(more !== undefined && { contents: more }) });
      expect([outcomeOf(refused), refused.json.limited]).toEqual(['403 INSUFFICIENT_SCOPE', true]);
    }
  });

  it('open the keys of their contents alone, and are in the audit with them', async () => {
    const { json: created } = await create({ contents: [film], scope: 'playback' });
    await expectKey(target, '200', { token: created.raw_key, contentId: film });
    await expectKey(target, '403 CONTENT_NOT_ENTITLED', { token: created.raw_key, contentId: series });
    const [row] = await readAudit(target, { target: created.api_key.id });
    expect(row).toMatchObject({
      actor: { kind: 'api-key', id: own.id },
      details: { changes: { contents: { before: null, after: [film] }, scope: { after: 'playback' } } },
    });
    const current = await client.get('/api/v1/api-keys/current', created.raw_key);
    expect(current.json.api_key).toMatchObject({ contents: [film], scope: 'playback' });
  });
});

it('a rotation keeps the contents of an API key, and nothing changes them', async () => {
  const { id, raw } = await createApiKey(target, 'full', { contents: [film] });
  const rotated = await client.post(`/api/v1/api-keys/${id}/rotate`, raw);
  expect(rotated.json).toMatchObject({
    api_key: { contents: [film], scope: 'full' },
    previous: { contents: [film] },
  });
  await expectKey(target, '403 CONTENT_NOT_ENTITLED', { token: rotated.json.raw_key, contentId: series });
  for (const change of [{ contents: [series] }, { contents: null }, { scope: 'admin' }]) {
    const options = { as: admin, json: change };
    const { code } = await client.call('PATCH', `/api/v1/api-keys/${rotated.json.api_key.id}`, options);
    expect(code).toBe('VALIDATION_FAILED');
  }
});

it('contents of an API key are 1 to 50 ids or prefixes, and a key without them is not limited', async () => {
  const create = (value: unknown) => client.post('/api/v1/api-keys', admin, { name: 'x', contents: value });
  const most = Array.from({ length: 50 }, (_, n) => `${'a'.repeat(250)}${n}*`);
  expect((await create(most)).json.api_key.contents).toEqual(most);
  expect((await create(null)).json.api_key.contents).toBeNull();
  for (const bad of [
    [],
    [...most, 'x'],
    ['a/b'],
    ['**'],
    ['a*b'],
    [''],
    ['leases'],
    [`lk_${'0'.repeat(64)}`],
    'film',
    [1],
    {},
  ])
    expect([bad, outcomeOf(await create(bad))]).toEqual([bad, '400 VALIDATION_FAILED']);
});

it('a list of limited API keys is filtered by their scope', async () => {
  const { id } = await createApiKey(target, 'packager', { contents: [film] });
  const { json: page } = await client.get('/api/v1/api-keys?scope=packager&limit=1', admin);
  expect(page.api_keys).toMatchObject([{ id, scope: 'packager', contents: [film] }]);
});

it('a content is registered by a limited API key under an id that it names, and not under a random one', async () => {
  const unnamed = await call('POST /api/v1/content', json({ name: 'x' }));
  expect([unnamed.code, unnamed.json.errors[0].path]).toEqual(['VALIDATION_FAILED', '/id']);
  const all = await createApiKey(target, 'full', { contents: ['*'] });
  expect(outcomeOf(await call('POST /api/v1/content', json({ name: 'x' }), all.raw))).toBe('201');
  expect(outcomeOf(await call('GET /api/v1/audit', {}, all.raw))).toBe('403 INSUFFICIENT_SCOPE');
});

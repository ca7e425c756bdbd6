import {
  askForKey,
  expectKey,
  makeScene,
  oncePropagated,
  registerContent,
} from '@latchkey/support/black-box/server-actions';
import { openShared, openTarget } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';

const target = await openTarget();
const { client, adminApiKey: admin } = target;
const withPublicUrl = await openShared('base-path');
const path = '/api/v1/content';
const idsOf = (json: { items: { id: string }[] }) => json.items.map(({ id }) => id);

it('a registered content has all the given fields', async () => {
  const fields = {
    name: 'Film',
    sizeBytes: 1_234,
    manifestKey: 'content/x/main.m3u8',
    metadata: { a: [1, { b: null }] },
  };
  const id = unique('film');
  const { status, json } = await client.post(path, admin, { id, ...fields });
  expect(status).toBe(201);
  expect(json.content).toMatchObject({ id, status: 'active', keyVersion: 1, ...fields });
  expect(new URL(json.key_endpoint, target.url).pathname).toBe(`/keys/${id}`);
  expect((await client.get(`${path}/${id}`, admin)).json.content).toEqual(json.content);
});

it('key_endpoint does not use the Host of the request', async () => {
  const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };
  const { json } = await client.call('POST', path, { as: admin, headers, json: { name: 'x' } });
  expect(json.key_endpoint).not.toContain('evil');
});

it('PUBLIC_URL is the base of key_endpoint', async () => {
  const { json } = await withPublicUrl.client.post(path, withPublicUrl.adminApiKey, { name: 'x' });
  expect(json.key_endpoint).toBe(`https://keys.example/base/keys/${json.content.id}`);
});

it('a content may be registered with only a name', async () => {
  const { json } = await client.post(path, admin, { name: 'Film' });
  expect(json.content).toMatchObject({
    status: 'active',
    sizeBytes: null,
    manifestKey: null,
    metadata: {},
  });
  expect(json.content).toMatchObject({ keyPeriods: null, playlistUrl: null });
});

it.each([16_384 - 8])('a content may have metadata of exactly 16 KiB', async (filling) => {
  const metadata = { a: 'x'.repeat(filling) };
  expect(JSON.stringify(metadata)).toHaveLength(16_384);
  expect((await client.post(path, admin, { name: 'x', metadata })).status).toBe(201);
});

it('with If-None-Match: *, one of several simultaneous registrations succeeds, and none changes its content', async () => {
  const id = unique('film');
  const register = (name: string) =>
    client.call('POST', path, { as: admin, headers: { 'if-none-match': '*' }, json: { id, name } });
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map(register));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 412, 412, 412]);
  const winner = answers.find(({ status }) => status === 201)?.json.content;
  expect((await register('late')).json.code).toBe('CONTENT_EXISTS');
  expect((await client.get(`${path}/${id}`, admin)).json.content).toEqual(winner);
});

it('registering a content again updates the given fields, and keeps the others, its key version and its status', async () => {
  const id = unique('again');
  await client.post(path, admin, { id, name: 'First', sizeBytes: 5 });
  const { content: before } = (await client.call('DELETE', `${path}/${id}`, { as: admin })).json;
  const { status, json } = await client.post(path, admin, { id, name: 'Second', metadata: { n: 2 } });
  expect(status).toBe(200);
  const { updatedAt } = json.content;
  expect(json.content).toEqual({ ...before, name: 'Second', metadata: { n: 2 }, updatedAt });
  expect(before).toMatchObject({ sizeBytes: 5, keyVersion: 1, status: 'disabled' });
  expect(Date.parse(updatedAt)).toBeGreaterThanOrEqual(Date.parse(before.createdAt));
});

it('of several simultaneous registrations of one id, one creates it and the others update it', async () => {
  const id = unique('film');
  const answers = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => client.post(path, admin, { id, name })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201]);
});

it('PATCH changes only the named fields of a content, and null clears one', async () => {
  const id = unique('patched');
  await client.post(path, admin, { id, name: 'First', sizeBytes: 5, manifestKey: 'a' });
  const json = { name: 'Second', manifestKey: null };
  const { content } = (await client.call('PATCH', `${path}/${id}`, { as: admin, json })).json;
  expect(content).toMatchObject({ id, ...json, sizeBytes: 5, status: 'active' });
  expect(Date.parse(content.updatedAt)).toBeGreaterThanOrEqual(Date.parse(content.createdAt));
});

it('a list by ids has each content that exists, disabled ones too, sorted by id', async () => {
  const [b, c, a] = ['b', 'c', 'a'].map((letter) => unique(letter));
  for (const id of [b, c, a]) await registerContent(target, id);
  await client.call('DELETE', `${path}/${b}`, { as: admin });
  const { json } = await client.get(`${path}?ids=${[b, c, a, unique('gone'), a]}`, admin);
  expect([idsOf(json), json.total]).toEqual([[a, b, c], 3]);
});

it('the key of a content is served from its registration on, also if it was requested before', async () => {
  const scene = { contentId: unique('early'), token: viewerToken(target.jwtSecret, unique('viewer')) };
  expect(await askForKey(target, scene)).toBe('404 CONTENT_NOT_FOUND');
  await registerContent(target, scene.contentId);
  await expectKey(target, '200', scene);
});

it('contents that match are listed page by page, with their total number', async () => {
  const word = unique('series').toLowerCase();
  const ids = Array.from({ length: 5 }, (_, n) => `${word}-${n}`);
  for (const id of ids) await client.post(path, admin, { id, name: `Part of ${word.toUpperCase()}` });
  const search = `${path}?q=${word}&limit=2`;
  const pages = [];
  for (const offset of [0, 2, 4, 6]) pages.push((await client.get(`${search}&offset=${offset}`, admin)).json);
  expect(pages.map(({ total }) => total)).toEqual([5, 5, 5, 5]);
  expect(pages.map(({ items }) => items.length)).toEqual([2, 2, 1, 0]);
  expect(pages.flatMap(idsOf).sort()).toEqual(ids);
});

it('contents are found by name in any case, % and _ are plain characters, and status is a filter', async () => {
  const word = unique('ÉtéÄ');
  const id = await registerContent(target);
  await client.call('PATCH', `${path}/${id}`, { as: admin, json: { name: `${word} 100%_` } });
  const find = async (q: string, more = '') =>
    idsOf((await client.get(`${path}?q=${encodeURIComponent(q)}${more}`, admin)).json);
  expect(await find(word.toLowerCase())).toEqual([id]);
  expect(await find(`${word} 100%_`)).toEqual([id]);
  expect(await find(`${word}%1`)).toEqual([]);
  expect(await find(word.replace('-', '_'))).toEqual([]);
  expect(await find(word, '&status=disabled')).toEqual([]);
  await client.call('DELETE', `${path}/${id}`, { as: admin });
  expect(await find(word, '&status=disabled')).toEqual([id]);
  expect(await find(word, '&status=active')).toEqual([]);
});

it('DELETE of a content ends its keys at once and may be repeated, and PATCH brings the same key back', async () => {
  const scene = await makeScene(target);
  const key = (await client.get(`/keys/${scene.contentId}`, scene.token)).bytes;
  const remove = () => client.call('DELETE', `${path}/${scene.contentId}`, { as: admin });
  const removed = await remove();
  expect(removed.json.content.status).toBe('disabled');
  await oncePropagated(target, async () => {
    expect(await askForKey(target, scene)).toBe('404 CONTENT_NOT_FOUND');
    expect((await client.get(`/keys/${scene.contentId}`, admin)).status).toBe(404);
  });
  expect(await remove()).toMatchObject({ status: 200, json: removed.json });
  await client.call('PATCH', `${path}/${scene.contentId}`, { as: admin, json: { status: 'active' } });
  await oncePropagated(target, async () => {
    expect((await client.get(`/keys/${scene.contentId}`, scene.token)).bytes).toEqual(key);
  });
});

it.each([
  { metadata: { a: 'x'.repeat(16_384) } },
  { metadata: 'text' },
  { metadata: null },
  { sizeBytes: -1 },
  { sizeBytes: 2 ** 53 },
  { manifestKey: '' },
  { manifestKey: 'x'.repeat(1_025) },
  { manifestKey: 'a\u0000b' },
  { status: 'disabled' },
  { keyVersion: 2 },
  { name: '' },
  { id: null },
])('a content with the fields %.60j gets 400, which names them, and is not registered', async (fields) => {
  const id = unique('wrong');
  const { status, json } = await client.post(path, admin, { id, name: 'x', ...fields });
  expect(status).toBe(400);
  expect(json.errors.map((error: { path: string }) => error.path)).toEqual([`/${Object.keys(fields)}`]);
  expect((await client.get(`${path}/${id}`, admin)).status).toBe(404);
});

it.each([
  undefined,
  {},
  { status: 'gone' },
  { status: null },
  { keyVersion: 2 },
  { id: 'other' },
  { name: ' ' },
])('PATCH of a content with %j gets 400', async (json) => {
  const id = await registerContent(target);
  expect((await client.call('PATCH', `${path}/${id}`, { as: admin, json })).status).toBe(400);
});

it.each([
  ...['ids=', 'ids=a,,b', 'ids=a%20b', `ids=${Array(101).fill('a')}`, 'ids=a&prefix=a', 'ids=a&q=a'],
  ...['ids=a&offset=1', 'limit=0', 'limit=x', 'limit=', 'limit=1&limit=2', 'limit=0x10', 'limit=1e1'],
  ...['offset=1e99', 'offset=%201', 'q=a&q=b', `q=${'x'.repeat(201)}`, 'page=2'],
])('the list of contents refuses ?%.60s', async (query) => {
  expect((await client.get(`${path}?${query}`, admin)).code).toBe('VALIDATION_FAILED');
});

it('the list of contents refuses an unknown status, and names the known ones once', async () => {
  const { json } = await client.get(`${path}?status=gone`, admin);
  expect(json.errors).toEqual([{ path: '/status', message: 'must be one of active, disabled' }]);
});

it.each(['GET', 'PATCH', 'DELETE'])(
  '%s of an unknown or malformed content id gets 404 CONTENT_NOT_FOUND',
  async (method) => {
    const options = { as: admin, ...(method === 'PATCH' && { json: { name: 'x' } }) };
    for (const id of [unique('none'), 'leases', 'a%2Fb', 'a%00', 'x'.repeat(257), '%C3%A9']) {
      const answer = await client.call(method, `${path}/${id}`, options);
      expect([id, answer.status, answer.code]).toEqual([id, 404, 'CONTENT_NOT_FOUND']);
    }
  },
);

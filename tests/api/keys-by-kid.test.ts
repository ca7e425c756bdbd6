import { randomUUID } from 'node:crypto';
import { outcomeOf } from '@latchkey/support/black-box/answer';
import { makeScene, registerContent } from '@latchkey/support/black-box/server-actions';
import { openShared } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';
import { derive } from './derive.ts';

// docs/reference/contract.md#keys-that-a-packager-names
const target = await openShared('plain');
const { client, adminApiKey: admin, jwtSecret } = target;

const pathOf = (contentId: string, kid: string) => `/keys/${contentId}/kid/${kid}`;

const outcomeOfPath = async (path: string, as?: string) => outcomeOf(await client.get(path, as));

const kid = randomUUID();

it('the key of a key id is the one that HKDF derives with the info `<content>/kid/<key id>`', async () => {
  const { contentId, token } = await makeScene(target);
  const answer = await client.get(pathOf(contentId, kid), token);
  expect([answer.status, answer.bytes]).toEqual([200, derive(`${contentId}/kid/${kid}`)]);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-length': '16',
    'cache-control': 'no-store',
  });
  const head = await client.call('HEAD', pathOf(contentId, kid), { as: token });
  expect([head.status, head.headers['content-length']]).toEqual([200, '16']);
});

it('a content may have the id `kid`, with keys of its own by epoch and by key id', async () => {
  await client.post('/api/v1/content', admin, { id: 'kid', name: 'kid' });
  for (const path of ['/keys/kid', '/keys/kid/5', pathOf('kid', kid)])
    expect(await outcomeOfPath(path, admin)).toBe('200');
});

// Else a viewer could have all keys at once, whatever pace the content states.
it.each([
  { mode: 'sequence', count: 10, periodSeconds: 10 },
  { mode: 'clock', origin: new Date(Date.now() - 60_000).toISOString(), periodSeconds: 10 },
])('a content with key periods in $mode has no key of a key id', async (keyPeriods) => {
  const id = unique('content');
  expect((await client.post('/api/v1/content', admin, { id, name: id, keyPeriods })).status).toBe(201);
  for (const as of [admin, viewerToken(jwtSecret, unique('viewer'))])
    expect(await outcomeOfPath(pathOf(id, kid), as)).toBe('404 EPOCH_NOT_FOUND');
});

it.each([
  kid.toUpperCase(),
  kid.slice(1),
  `${kid}0`,
  kid.replaceAll('-', ''),
  `{${kid}}`,
  kid.replace(/.$/, 'g'),
  `${kid}\n`,
  '7',
  ' ',
])('a key request with the key id %j gets 400', async (wrong) => {
  const path = pathOf(await registerContent(target), encodeURIComponent(wrong));
  expect(await outcomeOfPath(path, admin)).toBe('400 VALIDATION_FAILED');
});

it('`kid` without a key id is no epoch, and `leases` no content', async () => {
  const contentId = await registerContent(target);
  expect(await outcomeOfPath(`/keys/${contentId}/kid`, admin)).toBe('400 VALIDATION_FAILED');
  expect(await outcomeOfPath(pathOf('leases', kid), admin)).toBe('400 VALIDATION_FAILED');
});

it('a path below a key id, and another word before it, get 404', async () => {
  const contentId = await registerContent(target);
  expect(await outcomeOfPath(`${pathOf(contentId, kid)}/1`, admin)).toBe('404 NOT_FOUND');
  expect(await outcomeOfPath(`/keys/${contentId}/KID/${kid}`, admin)).toBe('404 NOT_FOUND');
});

it('the key of a key id is only read: PUT gets 405', async () => {
  const contentId = await registerContent(target);
  const answer = await client.call('PUT', pathOf(contentId, kid), { as: admin });
  expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
});

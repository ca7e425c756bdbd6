import { expect, it } from 'vitest';
import { keyIdOf } from './key-id.ts';
import { registerContent } from './server-actions.ts';
import { openTarget } from './target.ts';

// docs/contract.md#clear-key-licences
const target = await openTarget();
const { client, adminApiKey: admin } = target;
const pathOf = (contentId: string) => `/licenses/clearkey/${contentId}`;

const own = keyIdOf('film');
const wrongBodies: [string, string | Buffer][] = [
  ['no body', ''],
  ['no JSON', '{"kids":['],
  [
    'bytes that are not UTF-8',
    Buffer.concat([Buffer.from(`{"kids":["${own}"],"x":"`), Buffer.from([0xff]), Buffer.from('"}')]),
  ],
  ['a list', '[]'],
  ['null', 'null'],
  ['no key id', '{"kids":[]}'],
  ['no member kids', '{"type":"temporary"}'],
  ['a key id that is a number', '{"kids":[5]}'],
  [
    'a key id in hexadecimal digits',
    JSON.stringify({ kids: [Buffer.from(own, 'base64url').toString('hex')] }),
  ],
  ['a key id with padding', JSON.stringify({ kids: [`${own}==`] })],
  ['a key id in plain base64', JSON.stringify({ kids: [`${'+/'.repeat(10)}AA`] })],
  ['a key id in a second form', JSON.stringify({ kids: [own.replace(/A$/, 'B')] })],
  ['a short key id', JSON.stringify({ kids: [own.slice(1)] })],
  ['a key id that is not one of the server', JSON.stringify({ kids: ['A'.repeat(22)] })],
  ['a type that is not known', JSON.stringify({ kids: [own], type: 'x' })],
  ['65 key ids', JSON.stringify({ kids: Array.from({ length: 65 }, () => own) })],
  ['deep nesting', `{"kids":${'['.repeat(1_500)}${']'.repeat(1_500)}}`],
  ['a prototype', `{"__proto__":{"kids":["${own}"]}}`],
];
it.each(wrongBodies)('a licence request with %s gets 400', async (_name, body) => {
  const answer = await client.call('POST', pathOf('film'), { as: admin, body });
  expect(answer.code).toBe('VALIDATION_FAILED');
});

it('a key id of another content gets 400, which names the content that was asked for', async () => {
  const [one, other] = [await registerContent(target), await registerContent(target)];
  const { status, json } = await client.call('POST', pathOf(one), {
    as: admin,
    json: { kids: [keyIdOf(one), keyIdOf(other)] },
  });
  expect([status, json.errors]).toEqual([
    400,
    [{ path: '/kids/1', message: `is not a key id of the content ${one}` }],
  ]);
});

it('a licence to keep on the device gets 400, which says that it could not be revoked', async () => {
  const contentId = await registerContent(target);
  const body = JSON.stringify({ kids: [keyIdOf(contentId)], type: 'persistent-license' });
  const answer = await client.call('POST', pathOf(contentId), { as: admin, body });
  expect([answer.status, answer.json.detail]).toEqual([400, expect.stringContaining('cannot be revoked')]);
});

it('a body beyond 4 KiB gets 413, GET gets 405, and another key system 404', async () => {
  const contentId = await registerContent(target);
  const body = JSON.stringify({ kids: [keyIdOf(contentId)], padding: 'x'.repeat(5_000) });
  expect((await client.call('POST', pathOf(contentId), { as: admin, body })).code).toBe('PAYLOAD_TOO_LARGE');
  const read = await client.get(pathOf(contentId), admin);
  expect([read.status, read.headers.allow]).toEqual([405, 'POST']);
  expect(
    (await client.call('POST', `/licenses/widevine/${contentId}`, { as: admin, body: '{}' })).status,
  ).toBe(404);
});

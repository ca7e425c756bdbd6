import { createHmac, hkdfSync } from 'node:crypto';
import { makeScene } from '@latchkey/support/black-box/server-actions';
import { openShared } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';
import { derive } from './derive.ts';

const server = await openShared('any-content');
const { client } = server;
const token = viewerToken(server.jwtSecret, unique('viewer'));
/** The vector of `docs/reference/contract.md#derivation`. */
const vector = { contentId: 'my-video-001', key: 'a4ad6589c125682427dbee83eb46259f' };

const keyOf = async (path: string) => (await client.get(path, token)).bytes.toString('hex');

it('the derivation of these tests passes the vector of RFC 5869 A.1', () => {
  const salt = Buffer.from('000102030405060708090a0b0c', 'hex');
  const info = Buffer.from('f0f1f2f3f4f5f6f7f8f9', 'hex');
  const derived = hkdfSync('sha256', Buffer.alloc(22, 0x0b), salt, info, 42);
  expect(Buffer.from(derived).toString('hex')).toBe(
    '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
  );
  expect(createHmac('sha256', salt).update(Buffer.alloc(22, 0x0b)).digest('hex')).toMatch(
    /^077709362c2e32df/,
  );
});

it('the key of the contract’s vector is served', async () => {
  expect(await keyOf(`/keys/${vector.contentId}`)).toBe(vector.key);
});

it.each([0, 1, 7, 2_147_483_648, 4_294_967_295])(
  'the key of epoch %i is the one that HKDF derives',
  async (epoch) => {
    const key = await keyOf(`/keys/${vector.contentId}/${epoch}`);
    expect(key).toBe(derive(`${vector.contentId}/${epoch}`).toString('hex'));
    expect(key).not.toBe(vector.key);
  },
);

it('the key of a content is the one that HKDF derives, for ids of all lengths', async () => {
  for (const length of [1, 2, 63, 64, 65, 255, 256]) {
    const contentId = unique('c').padEnd(length, 'Z').slice(0, length);
    expect(await keyOf(`/keys/${contentId}`)).toBe(derive(contentId).toString('hex'));
  }
});

it.each(['/keys/my-video-001', '/keys/my-video-001/3'])(
  'the answer to %s is exactly 16 bytes, and no-store',
  async (path) => {
    const accept = { 'accept-encoding': 'gzip, br, deflate, zstd' };
    const answer = await client.get(path, token, accept);
    expect(answer.status).toBe(200);
    expect(answer.bytes.length).toBe(16);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '16',
      'cache-control': 'no-store',
    });
    const head = await client.call('HEAD', path, { as: token });
    expect([head.status, head.headers['content-length'], head.headers['cache-control']]).toEqual([
      200,
      '16',
      'no-store',
    ]);
  },
);

it('a viewer, a playback key and the bootstrap key get the same key', async () => {
  const { contentId, token: other } = await makeScene(server);
  const { json } = await client.post('/api/v1/api-keys', server.adminApiKey, {
    name: 'x',
    scope: 'playback',
  });
  const keys = [];
  for (const credential of [token, other, json.raw_key, server.adminApiKey])
    keys.push((await client.get(`/keys/${contentId}`, credential)).bytes.toString('hex'));
  expect(new Set(keys)).toEqual(new Set([derive(contentId).toString('hex')]));
});

it('headers and parameters that players add (CTA-5004) do not change the answer', async () => {
  const headers = { 'cmcd-object': 'ot=k', 'cmcd-request': 'su', range: 'bytes=0-', 'if-none-match': '*' };
  const answer = await client.get('/keys/my-video-001?CMCD=ot%3Dk', token, headers);
  expect([answer.status, answer.bytes.toString('hex')]).toEqual([200, vector.key]);
});

it('with CONTENT_MODE=any a lease is created for content that was never registered, and none for disabled content', async () => {
  const { contentId } = await makeScene(server);
  await client.call('DELETE', `/api/v1/content/${contentId}`, { as: server.adminApiKey });
  const create = (id: string) => client.post('/keys/leases', token, { contentId: id });
  expect([(await create(unique('none'))).status, (await create(contentId)).code]).toEqual([
    201,
    'CONTENT_NOT_FOUND',
  ]);
});

it.each(['00', '01', '-1', '+1', '1.0', '1e3', '0x1', '4294967296', '99999999999', 'a', '%31%20', ' '])(
  'a key request with the epoch %j gets 400',
  async (epoch) => {
    const answer = await client.get(`/keys/my-video-001/${encodeURIComponent(epoch)}`, token);
    expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_FAILED']);
  },
);

it('GET /keys/leases/5 gets 400, because `leases` cannot be a content id', async () => {
  expect((await client.get('/keys/leases/5', token)).status).toBe(400);
});

it('a path below an epoch gets 404', async () => {
  expect((await client.get('/keys/my-video-001/1/2', token)).status).toBe(404);
});

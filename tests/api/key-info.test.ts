import { randomUUID } from 'node:crypto';
import { outcomeOf } from '@latchkey/support/black-box/answer';
import {
  createApiKey,
  oncePropagated,
  registerContent,
  revokeApiKey,
} from '@latchkey/support/black-box/server-actions';
import { openShared } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { describe, expect, it } from 'vitest';
import { keyIdOf } from './key-id.ts';

const publicUrl = 'https://keys.example/base';
const target = await openShared('base-path');
const { client, adminApiKey: admin, jwtSecret } = target;

const daySeconds = 86_400;
const later = (ms: number) => new Date(Date.now() + ms).toISOString();

async function registerWith(keyPeriods: unknown): Promise<string> {
  const id = unique('live');
  const { status, json } = await client.post('/api/v1/content', admin, { id, name: id, keyPeriods });
  expect([status, json.key_endpoint]).toEqual([201, `${publicUrl}/keys/${id}`]);
  return id;
}

const infoPath = (id: string, query = '') => `/api/v1/content/${id}/key-info${query}`;

/** The three lines, the second of them as a path of this server. */
async function readKeyInfo(id: string, query = '', as = admin) {
  const answer = await client.get(infoPath(id, query), as);
  expect([answer.status, answer.type]).toEqual([200, 'text/plain']);
  const [uri = '', url = '', iv = '', ...rest] = answer.bytes.toString('utf8').split('\n');
  expect(rest).toEqual(['']);
  expect(url.startsWith(`${uri}?key_credential=`)).toBe(true);
  const credential = url.slice(url.indexOf('=') + 1);
  // The server's whole output is checked for it.
  client.credentials.add(credential);
  return { uri, path: url.slice(publicUrl.length), iv, credential };
}
const codeOf = async (path: string, as?: string) => outcomeOf(await client.get(path, as));

it('key info has the URI of the playlist, a URL that serves the same key as an API key gets, and a new IV at each call', async () => {
  const id = await registerContent(target);
  const first = await readKeyInfo(id, '?epoch=7');
  const second = await readKeyInfo(id, '?epoch=7');
  expect(first.uri).toBe(`${publicUrl}/keys/${id}/7`);
  for (const { iv } of [first, second]) expect(iv).toMatch(/^[0-9a-f]{32}$/);
  expect(first.iv).not.toBe(second.iv);
  const key = (await client.get(`/keys/${id}/7`, admin)).bytes;
  expect(key).toHaveLength(16);
  expect((await client.get(first.path)).bytes).toEqual(key);
  // Both are still good, and as often as they are used.
  expect((await client.get(first.path)).bytes).toEqual(key);
  expect((await client.get(second.path)).bytes).toEqual(key);
});

it('key info of a content without key periods names the key without an epoch', async () => {
  const id = await registerContent(target);
  const { uri, path } = await readKeyInfo(id);
  expect(uri).toBe(`${publicUrl}/keys/${id}`);
  expect((await client.get(path)).bytes).toEqual((await client.get(`/keys/${id}`, admin)).bytes);
});

it('key info and its key are answered to PUT too, with or without a body, and to HEAD', async () => {
  const id = await registerContent(target);
  const { path } = await readKeyInfo(id);
  const key = (await client.get(path)).bytes;
  for (const url of [infoPath(id), path]) {
    const as = url === path ? undefined : admin;
    expect((await client.call('HEAD', url, { as })).status).toBe(200);
    const plain = await client.call('PUT', url, { as });
    const withBody = await client.call('PUT', url, { as, json: { ignored: true } });
    for (const answer of [plain, withBody]) {
      expect(answer.status).toBe(200);
      if (url === path) expect(answer.bytes).toEqual(key);
      else expect(answer.bytes.toString()).toMatch(/^https:.*\nhttps:.*\n[0-9a-f]{32}\n$/);
    }
  }
});

it('key info and the key in its URL leave no row in the audit', async () => {
  const id = await registerContent(target);
  const { path } = await readKeyInfo(id);
  expect(await codeOf(path)).toBe('200');
  const { json } = await client.get(`/api/v1/audit?target=${id}`, admin);
  expect(json.audit.map(({ action }: { action: string }) => action)).toEqual(['content.create']);
});

it('the credential of one key opens no other content, no other epoch, and nothing once a letter of it is changed', async () => {
  const [id, other] = [await registerContent(target), await registerContent(target)];
  const { credential } = await readKeyInfo(id, '?epoch=7');
  const changed = `${credential.slice(0, 40)}${credential[40] === 'A' ? 'B' : 'A'}${credential.slice(41)}`;
  for (const path of [`/keys/${other}/7`, `/keys/${id}/8`, `/keys/${id}`])
    expect(await codeOf(`${path}?key_credential=${credential}`), path).toBe('401 INVALID_TOKEN');
  for (const text of [changed, '', 'lkc_', 'x'.repeat(5_000), `${credential}&key_credential=${credential}`])
    expect(await codeOf(`/keys/${id}/7?key_credential=${text}`), text).toBe('401 INVALID_TOKEN');
  expect(await codeOf(`/keys/${id}/7?key_credential=${credential}`)).toBe('200');
});

it('the credential of a key opens no management route, no key info, no lease, no licence and no key by key id', async () => {
  const id = await registerContent(target);
  const { credential } = await readKeyInfo(id);
  for (const path of [`/api/v1/content/${id}`, infoPath(id), '/api/v1/leases', '/api/v1/api-keys/current'])
    expect(await codeOf(path, credential), path).toBe('401 INVALID_API_KEY');
  const bodies = {
    '/keys/leases': { contentId: id },
    [`/licenses/clearkey/${id}`]: { kids: [keyIdOf(id)] },
  };
  for (const [path, json] of Object.entries(bodies)) {
    const inUrl = await client.call('POST', `${path}?key_credential=${credential}`, { json });
    expect(inUrl.code, path).toBe('UNAUTHENTICATED');
  }
  const byKeyId = `/keys/${id}/kid/${randomUUID()}?key_credential=${credential}`;
  expect(await codeOf(byKeyId)).toBe('401 INVALID_TOKEN');
  expect(await codeOf(`/keys/${id}?key_credential=${credential}`)).toBe('200');
});

it('the credential of a key ends with the API key that asked for it, and with the content', async () => {
  const id = await registerContent(target);
  const { id: apiKeyId, raw } = await createApiKey(target, 'playback');
  const ofApiKey = await readKeyInfo(id, '', raw);
  const { path } = await readKeyInfo(id);
  expect([await codeOf(ofApiKey.path), await codeOf(path)]).toEqual(['200', '200']);
  await revokeApiKey(target, apiKeyId);
  await oncePropagated(target, async () => expect(await codeOf(ofApiKey.path)).toBe('401 INVALID_API_KEY'));
  await client.call('DELETE', `/api/v1/content/${id}`, { as: admin });
  await oncePropagated(target, async () => expect(await codeOf(path)).toBe('404 CONTENT_NOT_FOUND'));
  expect(await codeOf(infoPath(id), admin)).toBe('404 CONTENT_NOT_FOUND');
});

it('an Authorization header takes precedence over the credential in the URL', async () => {
  const { path } = await readKeyInfo(await registerContent(target));
  expect(await codeOf(path, admin)).toBe('200');
  expect(await codeOf(path, `lk_${'0'.repeat(64)}`)).toBe('401 INVALID_API_KEY');
});

const basic = (pair: string) => ({ authorization: `Basic ${Buffer.from(pair).toString('base64')}` });

it('an API key comes as the password of Basic too, which a 401 of key info offers, and no other route takes it', async () => {
  const id = await registerContent(target);
  const { raw } = await createApiKey(target, 'playback');
  expect((await client.get(infoPath(id), undefined, basic(`anything:${raw}`))).status).toBe(200);
  expect((await client.get(infoPath(id), undefined, basic(`:${raw}`))).status).toBe(200);
  const refused = await client.get(infoPath(id));
  expect(refused.code).toBe('UNAUTHENTICATED');
  expect(refused.headers['www-authenticate']).toBe('Bearer realm="latchkey", Basic realm="latchkey"');
  for (const pair of [`${raw}:wrong`, raw, ':', 'x:lk_short'])
    expect((await client.get(infoPath(id), undefined, basic(pair))).status, pair).toBe(401);
  for (const path of [`/api/v1/content/${id}`, `/keys/${id}`])
    expect((await client.get(path, undefined, basic(`x:${raw}`))).code).toBe('UNAUTHENTICATED');
  // ffmpeg asks without a password first, each time: such a step is no refusal that someone has to look at.
  const { json } = await client.get(`/api/v1/audit?action=content.key-info&target=${id}`, admin);
  expect(json.audit.map(({ code }: { code: string }) => code)).not.toContain('UNAUTHENTICATED');
});

it('viewers and API keys for uploads get 403, and an unknown or malformed content gets 404', async () => {
  const id = await registerContent(target);
  const { raw } = await createApiKey(target, 'upload');
  for (const as of [raw, viewerToken(jwtSecret, unique('viewer'))])
    expect(await codeOf(infoPath(id), as)).toBe('403 INSUFFICIENT_SCOPE');
  for (const unknown of [unique('none'), 'a.b', 'leases'])
    expect(await codeOf(infoPath(unknown), admin)).toBe('404 CONTENT_NOT_FOUND');
  for (const query of ['?epoch=-1', '?epoch=4294967296', '?epoch=x', '?epochs=1'])
    expect(await codeOf(infoPath(id, query), admin), query).toBe('400 VALIDATION_FAILED');
});

describe('the epoch of key info', () => {
  it('by the clock of the content, key info names the epoch of now, and every call within a period the same', async () => {
    const id = await registerWith({
      mode: 'clock',
      origin: later(-3.5 * daySeconds * 1_000),
      periodSeconds: daySeconds,
      behind: 1,
    });
    const uris = await Promise.all(Array.from({ length: 5 }, async () => (await readKeyInfo(id)).uri));
    expect(new Set(uris)).toEqual(new Set([`${publicUrl}/keys/${id}/3`]));
    const { path } = await readKeyInfo(id, '?epoch=4');
    expect(await codeOf(path)).toBe('200');
    expect(await codeOf(infoPath(id, '?epoch=5'), admin)).toBe('403 EPOCH_NOT_YET');
    expect(await codeOf(infoPath(id, '?epoch=1'), admin)).toBe('403 EPOCH_PAST');
  });

  it('before the origin of the content, key info is refused with EPOCH_NOT_YET and the time of the origin', async () => {
    const origin = later(daySeconds * 1_000);
    const id = await registerWith({ mode: 'clock', origin, periodSeconds: 10 });
    const { code, json, headers } = await client.get(infoPath(id), admin);
    expect([code, json.opensAt]).toEqual(['EPOCH_NOT_YET', origin]);
    expect(json.currentEpoch).toBeLessThan(0);
    expect(Number(headers['retry-after'])).toBeGreaterThan(daySeconds - 60);
  });

  it('of a content with periods in sequence, key info needs an epoch below their count', async () => {
    const id = await registerWith({ mode: 'sequence', count: 5, periodSeconds: 10 });
    for (const query of ['', '?epoch=5'])
      expect(await codeOf(infoPath(id, query), admin), query).toBe('404 EPOCH_NOT_FOUND');
    expect((await readKeyInfo(id, '?epoch=4')).uri).toBe(`${publicUrl}/keys/${id}/4`);
  });
});

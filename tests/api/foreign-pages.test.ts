import { registerContent } from '@latchkey/support/black-box/server-actions';
import { listedOrigin as listed, playlistOrigin } from '@latchkey/support/black-box/shared-settings';
import { openShared, type Target } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';
import { keyIdOf } from './key-id.ts';

const withCookies = await openShared('cookies');
/** Takes tokens from the header, the query and the cookie. */
const anywhere = await openShared('every-token-place');

async function scene(target: Target, fields: Record<string, unknown> = {}) {
  const contentId = await registerContent(target);
  const changed = await target.client.call('PATCH', `/api/v1/content/${contentId}`, {
    as: target.adminApiKey,
    json: { name: 'n', ...fields },
  });
  expect(changed.status).toBe(200);
  return { contentId, token: viewerToken(target.jwtSecret, unique('viewer')) };
}

/** As an `<img>`, a link, or fetch of a page sends it. */
const ask = async (contentId: string, token: string, headers: Record<string, string>, method = 'GET') => {
  withCookies.client.credentials.add(token);
  const all = { cookie: `latchkey_token=${token}`, ...headers };
  const answer = await withCookies.client.call(method, `/keys/${contentId}`, { headers: all });
  return answer.code ?? answer.status;
};

it.each<[string, Record<string, string>]>([
  ['an image', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
  ['a link', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-user': '?1' }],
  ['a fetch', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', origin: 'https://evil.example' }],
  ['a sandboxed frame', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
  ['a header in capitals', { 'sec-fetch-site': 'Cross-Site' }],
])('the cookie does not count for %s of an unlisted site', async (_, headers) => {
  const { contentId, token } = await scene(withCookies);
  for (const path of [contentId, `${contentId}/0`, `${contentId}?x=1`])
    expect(await ask(path, token, headers)).toBe('UNAUTHENTICATED');
  expect(await ask(contentId, token, headers, 'HEAD')).toBe(401);
});

it.each<[string, Record<string, string>]>([
  ['a listed page of another site', { 'sec-fetch-site': 'cross-site', origin: listed }],
  ['a page of the same site', { 'sec-fetch-site': 'same-site' }],
  ['a page of this server', { 'sec-fetch-site': 'same-origin' }],
  ['the viewer', { 'sec-fetch-site': 'none' }],
  ['a player that does not say', {}],
])('the cookie counts for %s', async (_, headers) => {
  const { contentId, token } = await scene(withCookies);
  expect(await ask(contentId, token, headers)).toBe(200);
});

it('requests with the cookie of a viewer from pages of another site take nothing from the pace of the viewer', async () => {
  const keyPeriods = { mode: 'sequence', count: 1_000, periodSeconds: 60, burst: 2 };
  const { contentId, token } = await scene(withCookies, { keyPeriods });
  for (let epoch = 0; epoch < 10; epoch++)
    expect(await ask(`${contentId}/${epoch}`, token, { 'sec-fetch-site': 'cross-site' })).toBe(
      'UNAUTHENTICATED',
    );
  expect(await ask(`${contentId}/0`, token, {})).toBe(200);
  expect(await ask(`${contentId}/1`, token, {})).toBe(200);
  expect(await ask(`${contentId}/2`, token, {})).toBe('KEY_PACE_EXCEEDED');
});

it('a token in the header counts for every page, as before', async () => {
  const { contentId, token } = await scene(withCookies);
  const headers = { authorization: `Bearer ${token}`, 'sec-fetch-site': 'cross-site' };
  expect(await ask(contentId, token, headers)).toBe(200);
});

it('a key by a header or a cookie is for pages of the same site, and one whose URL has the credential is for all', async () => {
  const { contentId, token } = await scene(anywhere, { playlistUrl: `${playlistOrigin}/a.m3u8` });
  anywhere.client.credentials.add(token);
  const { json } = await anywhere.client.post('/keys/sessions', token, { contentId });
  anywhere.client.credentials.add(json.session.id);
  const path = `/keys/${contentId}`;
  const cookie = `latchkey_token=${token}`;
  const authorization = `Bearer ${token}`;
  const rows: [string, Record<string, string>, string][] = [
    [path, { authorization }, 'same-site'],
    [`${path}/3`, { cookie }, 'same-site'],
    [`${path}?CMCD=x`, { cookie }, 'same-site'],
    [`${path}?access_token=${token}`, {}, 'cross-origin'],
    [`${path}?access_token=${token}`, { authorization }, 'same-site'],
    [`${path}?s=${json.session.id}`, {}, 'cross-origin'],
    [`${path}/kid/98ee5596-cd3e-a20d-163a-e382420c6eff`, { authorization }, 'same-site'],
  ];
  for (const [url, headers, policy] of rows) {
    // Several times: a known token takes another way through the server.
    for (let times = 0; times < 3; times++) {
      const answer = await anywhere.client.call('GET', url, { headers });
      expect([url, answer.status]).toEqual([url, 200]);
      expect(answer.headers).toMatchObject({
        'cross-origin-resource-policy': policy,
        'x-content-type-options': 'nosniff',
      });
    }
  }
  const license = await anywhere.client.call('POST', `/licenses/clearkey/${contentId}`, {
    headers: { authorization },
    json: { kids: [keyIdOf(contentId)] },
  });
  expect(license.status).toBe(200);
  expect(license.headers['cross-origin-resource-policy']).toBe('same-site');
});

it.each([
  ['GET', '/health'],
  ['GET', '/keys/x'],
  ['GET', '/%zz'],
  ['GET', '/nothing'],
  ['DELETE', '/keys/x'],
])('the answer to %s %s may not be taken for another type', async (method, path) => {
  const { headers } = await withCookies.client.call(method, path, {});
  expect(headers['x-content-type-options']).toBe('nosniff');
});

import { eventually } from '@latchkey/support/black-box/eventually';
import { readLines } from '@latchkey/support/black-box/request-lines';
import {
  createLease,
  makeScene,
  oncePropagated,
  revokeLeases,
} from '@latchkey/support/black-box/server-actions';
import { openShared, startServer } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';

const [headerOnly, everywhere, queryOnly] = await Promise.all([
  openShared('plain'),
  openShared('every-token-place'),
  // Its own: no other test needs a server that reads no header.
  startServer({ VIEWER_TOKEN_FROM: 'query' }),
]);

/** Sends a request. The token counts as a credential that no log may show. */
async function ask(
  server: typeof headerOnly,
  path: string,
  token: string,
  headers: Record<string, string> = {},
) {
  server.client.credentials.add(token);
  const answer = await server.client.call('GET', path, { headers });
  return answer.code ?? answer.status;
}

it('a token in the query counts only if VIEWER_TOKEN_FROM has `query`', async () => {
  for (const [server, expected] of [
    [headerOnly, 'UNAUTHENTICATED'],
    [everywhere, 200],
    [queryOnly, 200],
  ] as const) {
    const { contentId, token } = await makeScene(server);
    expect(await ask(server, `/keys/${contentId}?access_token=${token}`, token)).toBe(expected);
    expect(await ask(server, `/keys/${contentId}/1?access_token=${token}`, token)).toBe(expected);
    expect(await ask(server, `/api/v1/content?access_token=${token}`, token)).toBe('UNAUTHENTICATED');
  }
});

it('the query may also name the lease', async () => {
  const scene = await makeScene(everywhere);
  const leaseId = await createLease(everywhere, scene);
  const path = `/keys/${scene.contentId}?access_token=${scene.token}&lease_id=`;
  expect(await ask(everywhere, path + leaseId, scene.token)).toBe(200);
  expect(await ask(everywhere, `${path}nonsense`, scene.token)).toBe('LEASE_UNKNOWN');
  await revokeLeases(everywhere, { leaseId });
  await oncePropagated(everywhere, async () =>
    expect(await ask(everywhere, path + leaseId, scene.token)).toBe('LEASE_REVOKED'),
  );
});

it('without `query` in VIEWER_TOKEN_FROM, a lease in the query is ignored', async () => {
  const { contentId, token } = await makeScene(headerOnly);
  const answer = await headerOnly.client.get(`/keys/${contentId}?lease_id=nonsense`, token);
  expect(answer.status).toBe(200);
});

it('a token in the query is checked like any other', async () => {
  const { contentId } = await makeScene(everywhere);
  const forged = viewerToken(Buffer.alloc(32), 'v');
  expect(await ask(everywhere, `/keys/${contentId}?access_token=${forged}`, forged)).toBe('INVALID_TOKEN');
  expect(await ask(everywhere, `/keys/${contentId}?access_token=`, forged)).toBe('UNAUTHENTICATED');
});

it('an API key in the query or in the cookie is refused', async () => {
  const { adminApiKey, client } = everywhere;
  const code = await ask(everywhere, `/api/v1/content?access_token=${adminApiKey}`, adminApiKey);
  expect(code).not.toBe(200);
  const scene = await makeScene(everywhere);
  const leaseId = await createLease(everywhere, scene);
  const inQuery = `?access_token=${adminApiKey}`;
  const cookie = { cookie: `latchkey_token=${adminApiKey}` };
  for (const [query, headers] of [
    [inQuery, {}],
    ['', cookie],
  ] as const) {
    expect(await ask(everywhere, `/keys/${scene.contentId}${query}`, adminApiKey, headers)).toBe(
      'INVALID_TOKEN',
    );
    const revoked = await client.call('POST', `/keys/leases/revoke${query}`, {
      headers,
      json: { viewerId: scene.viewerId },
    });
    expect([revoked.status, revoked.code]).toEqual([401, 'INVALID_TOKEN']);
  }
  const path = `/keys/${scene.contentId}?access_token=${scene.token}&lease_id=${leaseId}`;
  expect(await ask(everywhere, path, scene.token)).toBe(200);
});

it('the log redacts all values of the query', async () => {
  const scene = await makeScene(everywhere);
  const mark = unique('q');
  await ask(everywhere, `/keys/${scene.contentId}?access_token=${scene.token}&CMCD=${mark}`, scene.token);
  await eventually(() => {
    const line = readLines(everywhere.process).findLast(({ path }) => path.includes(scene.contentId));
    expect(line?.path).toMatch(new RegExp(`^/keys/${scene.contentId}\\?access_token=[^&]*&CMCD=[^&]*$`));
  });
  expect(everywhere.process.stdout()).not.toContain(scene.token.slice(0, 30));
  expect(everywhere.process.stdout()).not.toContain(mark);
});

it('a token in the cookie counts only if VIEWER_TOKEN_FROM has `cookie`', async () => {
  for (const [server, expected] of [
    [headerOnly, 'UNAUTHENTICATED'],
    [everywhere, 200],
    [queryOnly, 'UNAUTHENTICATED'],
  ] as const) {
    const { contentId, token } = await makeScene(server);
    const cookie = { cookie: `theme=dark; latchkey_token=${token}; x=y` };
    expect(await ask(server, `/keys/${contentId}`, token, cookie)).toBe(expected);
  }
});

it('of several cookies with the name of the token, one that is valid is enough, whatever comes before it', async () => {
  const { contentId, token } = await makeScene(everywhere);
  const forged = viewerToken(Buffer.alloc(32), 'v');
  const ended = viewerToken(everywhere.jwtSecret, 'v', { exp: 1 });
  const cookies = (...values: string[]) => ({
    cookie: values.map((value) => `latchkey_token=${value}`).join('; '),
  });
  const path = `/keys/${contentId}`;
  for (const values of [
    [token, forged],
    [forged, token],
    [ended, '', token],
    ['garbage', ended, forged, token],
  ])
    expect(await ask(everywhere, path, token, cookies(...values))).toBe(200);
  const refused = await everywhere.client.call('GET', path, { headers: cookies(ended, forged) });
  expect([refused.status, refused.code]).toEqual([401, 'INVALID_TOKEN']);
  expect(refused.json.detail).toContain('expired');
  expect(await ask(everywhere, path, token, cookies(forged, forged, forged, forged, token))).toBe(
    'INVALID_TOKEN',
  );
});

it('a token in a cookie of another name is ignored', async () => {
  const { contentId, token } = await makeScene(everywhere);
  const cookie = { cookie: `xlatchkey_token=${token}; token=${token}` };
  expect(await ask(everywhere, `/keys/${contentId}`, token, cookie)).toBe('UNAUTHENTICATED');
});

it('a token in the header comes before those in query and cookie', async () => {
  const { contentId, token } = await makeScene(everywhere);
  const forged = viewerToken(Buffer.alloc(32), 'v');
  const headers = { authorization: `Bearer ${forged}`, cookie: `latchkey_token=${token}` };
  expect(await ask(everywhere, `/keys/${contentId}?access_token=${token}`, token, headers)).toBe(
    'INVALID_TOKEN',
  );
});

it('the scheme Bearer may be written in any case (RFC 9110, section 11.1)', async () => {
  const { contentId, token } = await makeScene(headerOnly);
  for (const scheme of ['bearer', 'BEARER', 'Bearer ']) {
    const headers = { authorization: `${scheme} ${token}` };
    expect(await ask(headerOnly, `/keys/${contentId}`, token, headers)).toBe(200);
  }
});

it('without `header` in VIEWER_TOKEN_FROM, a token in the header is ignored', async () => {
  const { contentId, token } = await makeScene(queryOnly);
  const code = await ask(queryOnly, `/keys/${contentId}`, token, { authorization: `Bearer ${token}` });
  expect(code).toBe('UNAUTHENTICATED');
});

import { describe, expect, it, vi } from 'vitest';
import { readLines } from './request-lines.ts';
import { createLease, makeScene, oncePropagated, revokeLeases } from './server-actions.ts';
import { startServer } from './target.ts';
import { unique, viewerToken } from './tokens.ts';

const patience = { timeout: 20_000, interval: 50 };

const headerOnly = await startServer();
const everywhere = await startServer({ VIEWER_TOKEN_FROM: 'header,query,cookie' });
const queryOnly = await startServer({ VIEWER_TOKEN_FROM: 'query' });

/** The token is put where it is to be looked for, and counts as a credential that no log may show. */
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

describe('the query', () => {
  it('is where a token counts only when it is allowed to', async () => {
    for (const [server, expected] of [
      [headerOnly, 'UNAUTHENTICATED'],
      [everywhere, 200],
      [queryOnly, 200],
    ] as const) {
      const { contentId, token } = await makeScene(server);
      expect(await ask(server, `/keys/${contentId}?access_token=${token}`, token)).toBe(expected);
      expect(await ask(server, `/keys/${contentId}/1?access_token=${token}`, token)).toBe(expected);
    }
  });

  it('may name the lease too', async () => {
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

  it('names no lease where it is not allowed to', async () => {
    const { contentId, token } = await makeScene(headerOnly);
    const answer = await headerOnly.client.get(`/keys/${contentId}?lease_id=nonsense`, token);
    expect(answer.status).toBe(200);
  });

  it('gives a token that is checked like any other', async () => {
    const { contentId } = await makeScene(everywhere);
    const forged = viewerToken(Buffer.alloc(32), 'v');
    expect(await ask(everywhere, `/keys/${contentId}?access_token=${forged}`, forged)).toBe('INVALID_TOKEN');
    expect(await ask(everywhere, `/keys/${contentId}?access_token=`, forged)).toBe('UNAUTHENTICATED');
  });

  it('never carries a credential of the management, nor does the cookie', async () => {
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

  it('is redacted in the log, value by value', async () => {
    const scene = await makeScene(everywhere);
    const mark = unique('q');
    await ask(everywhere, `/keys/${scene.contentId}?access_token=${scene.token}&CMCD=${mark}`, scene.token);
    await vi.waitFor(() => {
      const line = readLines(everywhere.process).findLast(({ path }) => path.includes(scene.contentId));
      expect(line?.path).toMatch(new RegExp(`^/keys/${scene.contentId}\\?access_token=[^&]*&CMCD=[^&]*$`));
    }, patience);
    expect(everywhere.process.stdout()).not.toContain(scene.token.slice(0, 30));
    expect(everywhere.process.stdout()).not.toContain(mark);
  });
});

describe('the cookie', () => {
  it('is where a token counts only when it is allowed to', async () => {
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

  it('of another name is no token', async () => {
    const { contentId, token } = await makeScene(everywhere);
    const cookie = { cookie: `xlatchkey_token=${token}; token=${token}` };
    expect(await ask(everywhere, `/keys/${contentId}`, token, cookie)).toBe('UNAUTHENTICATED');
  });
});

describe('the header', () => {
  it('wins over query and cookie', async () => {
    const { contentId, token } = await makeScene(everywhere);
    const forged = viewerToken(Buffer.alloc(32), 'v');
    const headers = { authorization: `Bearer ${forged}`, cookie: `latchkey_token=${token}` };
    expect(await ask(everywhere, `/keys/${contentId}?access_token=${token}`, token, headers)).toBe(
      'INVALID_TOKEN',
    );
  });

  it('takes the scheme in any case (RFC 9110, section 11.1)', async () => {
    const { contentId, token } = await makeScene(headerOnly);
    for (const scheme of ['bearer', 'BEARER', 'Bearer ']) {
      const headers = { authorization: `${scheme} ${token}` };
      expect(await ask(headerOnly, `/keys/${contentId}`, token, headers)).toBe(200);
    }
  });

  it('is not a place where VIEWER_TOKEN_FROM leaves it out', async () => {
    const { contentId, token } = await makeScene(queryOnly);
    const code = await ask(queryOnly, `/keys/${contentId}`, token, { authorization: `Bearer ${token}` });
    expect(code).toBe('UNAUTHENTICATED');
  });
});

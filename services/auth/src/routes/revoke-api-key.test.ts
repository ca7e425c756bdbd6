import { afterEach, expect, it } from 'vitest';
import { type AuthFixture, startAuth, testBootstrapKey } from '../auth.fixture.ts';

let auth: AuthFixture;
afterEach(() => auth.close());

const path = '/api/v1/api-keys';

/** A claimed server, with further keys of these scopes. */
async function claim(bootstrapKey: string | null, more: { scope: string; expiresAt?: string }[] = []) {
  auth = await startAuth({
    setup: { bootstrapKeys: bootstrapKey === null ? [] : [bootstrapKey], setupToken: null },
  });
  const { body } = await auth.ask('POST', '/api/v1/setup');
  for (const fields of more)
    await auth.ask('POST', path, { credential: body.raw_key, body: { name: 'x', ...fields } });
  return { id: body.api_key.id as string, rawKey: body.raw_key as string };
}
async function revoke({ id, rawKey }: { id: string; rawKey: string }) {
  const answer = await auth.ask('DELETE', `${path}/${id}`, { credential: rawKey });
  expect([answer.status, answer.body.id]).toEqual([200, id]);
  return { warning: answer.headers.warning, operatorLines: auth.host.operatorLines.join(' ') };
}

it('revoking an API key gives no warning while another one can manage the server', async () => {
  const { warning, operatorLines } = await revoke(
    await claim(null, [{ scope: 'playback' }, { scope: 'full', expiresAt: '2026-01-01T00:00:01.000Z' }]),
  );
  expect(warning).toBeUndefined();
  expect(operatorLines).toBe('');
});

it.each([
  ['only keys of small scopes are left', [{ scope: 'playback' }, { scope: 'upload' }]],
  ['no key is left', []],
])(
  'revoking an API key warns caller and operator, and explains how to make one that can manage, if %s',
  async (_what, more) => {
    const { warning, operatorLines } = await revoke(await claim(null, more));
    expect(warning).toMatch(/^299 latchkey "No API key with scope admin or full is left.*api-keys create/);
    expect(operatorLines).toContain('api-keys create');
  },
);

it('revoking an API key warns caller and operator if the only other managing key has expired', async () => {
  const key = await claim(null, [{ scope: 'full', expiresAt: '2026-01-01T00:00:01.000Z' }]);
  auth.clock.advance(1_000);
  expect((await revoke(key)).warning).toContain('api-keys create');
});

it('revoking an API key gives no warning if a bootstrap key is configured', async () => {
  expect(await revoke(await claim(testBootstrapKey))).toEqual({ warning: undefined, operatorLines: '' });
});

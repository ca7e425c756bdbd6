import type { IncomingMessage } from 'node:http';
import { foreignPageReasons, type SetupExceptionSettings } from '@latchkey/shared/http';
import { isDirectHeader } from '@latchkey/shared/internal';
import { afterEach, describe, expect, it } from 'vitest';
import { type AuthFixture, type Question, startAuth, testBootstrapKey } from '../auth.fixture.ts';
import type { SetupSecrets } from '../config.ts';
import { openSetupWarning, readSetupOrigin, setupExceptionWarning } from '../setup-credential.ts';

const path = '/api/v1/setup';
const token = 'the-setup-token';
const remote = { from: '203.0.113.9' };

let auth: AuthFixture;
afterEach(() => auth.close());

const open: SetupSecrets = { bootstrapKeys: [], setupToken: null };
const guarded: SetupSecrets = { bootstrapKeys: [testBootstrapKey], setupToken: null };
const tokened: SetupSecrets = { bootstrapKeys: [testBootstrapKey], setupToken: token };

describe('setup, 201', () => {
  it.each<[string, Question]>([
    ['without a body', {}],
    ['with an announced body that is empty', { headers: { 'content-type': 'application/json' } }],
    ['with an empty object', { body: {} }],
  ])('the first API key is named admin if setup is called %s', async (_what, request) => {
    auth = await startAuth({ setup: open });
    const answer = await auth.ask('POST', path, request);
    expect(answer.status).toBe(201);
    expect(answer.body.raw_key).toMatch(/^lk_[0-9a-f]{64}$/);
    expect(answer.body.api_key).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'admin',
      keyPrefix: answer.body.raw_key.slice(0, 11),
      scope: 'admin',
      expiresAt: null,
      revokedAt: null,
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('setup returns 201 with an API key that works and has the requested name', async () => {
    auth = await startAuth({ setup: open });
    const { body } = await auth.ask('POST', path, { body: { name: ' Ops ' } });
    const list = await auth.ask('GET', '/api/v1/api-keys', { credential: body.raw_key });
    expect(list.status).toBe(200);
    expect(list.body.api_keys[0].name).toBe('Ops');
  });

  it.each<[string, SetupSecrets, Question]>([
    ['anyone where nothing is configured', open, remote],
    ['the machine itself where a bootstrap key is configured', guarded, {}],
    ['the holder of the bootstrap key', guarded, { ...remote, credential: testBootstrapKey }],
    ['the holder of the setup token', tokened, { ...remote, credential: token }],
  ])('lets in %s', async (_who, setup, request) => {
    auth = await startAuth({ setup });
    expect((await auth.ask('POST', path, request)).status).toBe(201);
  });

  it('setup is audited with its target, and with the bootstrap key as actor if that was presented', async () => {
    auth = await startAuth();
    const answer = await auth.ask('POST', path, { ...remote, credential: testBootstrapKey });
    const rows = await auth.host.db.selectFrom('audit').selectAll().execute();
    expect(rows).toMatchObject([
      {
        action: 'setup',
        outcome: 'done',
        actor_kind: 'bootstrap-key',
        target: answer.body.api_key.id,
        client_ip: '203.0.113.9',
      },
    ]);
  });
});

describe('setup, 400', () => {
  it.each([
    [{ name: '' }],
    [{ name: '  ' }],
    [{ name: 5 }],
    [{ name: 'a'.repeat(201) }],
    [{ nom: 'x' }],
    [[]],
    ['text'],
    [null],
  ])('setup with the body %j returns 400 and creates nothing', async (body) => {
    auth = await startAuth({ setup: open });
    const answer = await auth.ask('POST', path, {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
    expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect((await auth.ask('GET', path)).body.setup_required).toBe(true);
  });
});

describe('setup, 401', () => {
  it.each<[string, SetupSecrets, Question, string]>([
    ['a stranger without the bootstrap key', guarded, remote, 'UNAUTHENTICATED'],
    ['a call through a proxy on this machine', guarded, { headers: { via: '1.1 x' } }, 'UNAUTHENTICATED'],
    [
      'a call with a forwarded address',
      guarded,
      { headers: { 'x-forwarded-for': '127.0.0.1' } },
      'UNAUTHENTICATED',
    ],
    ['a wrong bootstrap key', guarded, { ...remote, credential: 'wrong' }, 'INVALID_API_KEY'],
    ['the machine itself without the setup token', tokened, {}, 'UNAUTHENTICATED'],
    [
      'the bootstrap key where a setup token is configured',
      tokened,
      { credential: testBootstrapKey },
      'INVALID_API_KEY',
    ],
    [
      'a scheme that is not Bearer',
      tokened,
      { headers: { authorization: `Basic ${token}` } },
      'UNAUTHENTICATED',
    ],
  ])('setup refuses %s with 401', async (_who, setup, request, code) => {
    auth = await startAuth({ setup });
    const answer = await auth.ask('POST', path, request);
    expect([answer.status, answer.code]).toEqual([401, code]);
    expect(answer.headers['www-authenticate']).toContain('Bearer realm="latchkey"');
    const rows = await auth.host.db.selectFrom('audit').select(['action', 'outcome', 'code']).execute();
    expect(rows).toEqual([{ action: 'setup', outcome: 'refused', code }]);
  });

  it('ten minutes after the start the machine itself needs the bootstrap key too, and the state of setup says so', async () => {
    auth = await startAuth();
    auth.clock.advance(10 * 60_000 - 1);
    expect((await auth.ask('GET', path)).body.credential).toBe('none');
    auth.clock.advance(1);
    expect((await auth.ask('GET', path)).body.credential).toBe('bootstrap-key');
    expect((await auth.ask('POST', path)).code).toBe('UNAUTHENTICATED');
  });

  it.each<[string, SetupExceptionSettings]>([
    ['NODE_ENV=production', { nodeEnv: 'production' }],
    ['PUBLIC_URL', { publicUrl: 'http://localhost' }],
  ])('with %s the machine itself needs the bootstrap key too', async (_what, setupException) => {
    auth = await startAuth({ setupException });
    expect((await auth.ask('GET', path)).body.credential).toBe('bootstrap-key');
    expect((await auth.ask('POST', path)).code).toBe('UNAUTHENTICATED');
  });

  it('a service behind a gateway of an earlier release closes the exception by what it knows itself', () => {
    const request = { headers: { [isDirectHeader]: '1' } } as unknown as IncomingMessage;
    expect(readSetupOrigin(request, () => true).isDirect).toBe(true);
    expect(readSetupOrigin(request, () => false).isDirect).toBe(false);
  });

  it('setup checks the credential before the body', async () => {
    auth = await startAuth();
    expect((await auth.ask('POST', path, { ...remote, body: { nom: 1 } })).status).toBe(401);
  });
});

describe('setup, 403', () => {
  it.each([
    ['site', { 'sec-fetch-site': 'cross-site' }],
    ['origin', { origin: 'https://evil.example' }],
    ['name', { origin: 'http://evil.example', host: 'evil.example' }],
  ] as const)(
    'setup refuses a page of another origin with 403, whatever it presents (%s)',
    async (reason, headers) => {
      auth = await startAuth({ setup: tokened });
      const answer = await auth.ask('POST', path, { headers, credential: token });
      expect([answer.status, answer.code, answer.body.detail]).toEqual([
        403,
        'SETUP_REFUSED',
        foreignPageReasons[reason],
      ]);
      const rows = await auth.host.db.selectFrom('audit').select(['action', 'code']).execute();
      expect(rows).toEqual([{ action: 'setup', code: 'SETUP_REFUSED' }]);
    },
  );
});

describe('setup, 409', () => {
  it('setup returns 409 to every caller once a key is stored, whatever the credential, page or body', async () => {
    auth = await startAuth({ setup: tokened });
    await auth.create();
    for (const credential of [token, 'wrong', undefined])
      for (const headers of [{}, { origin: 'https://evil.example' }]) {
        const asked = { ...remote, headers, body: { nom: 1 }, ...(credential && { credential }) };
        expect((await auth.ask('POST', path, asked)).code).toBe('SETUP_ALREADY_DONE');
      }
  });

  it('setup stays done after the only API key is revoked', async () => {
    auth = await startAuth();
    const { id } = await auth.create();
    await auth.ask('DELETE', `/api/v1/api-keys/${id}`, { credential: testBootstrapKey });
    const answer = await auth.ask('POST', path);
    expect([answer.status, answer.code]).toEqual([409, 'SETUP_ALREADY_DONE']);
  });

  it('setup stays open if there is only the bootstrap key, which is not stored', async () => {
    auth = await startAuth();
    await auth.ask('GET', '/api/v1/api-keys', { credential: testBootstrapKey });
    expect((await auth.ask('POST', path)).status).toBe(201);
  });
});

describe('the state of setup', () => {
  it.each<[string, SetupSecrets, Question, string]>([
    ['nothing where nothing is configured', open, remote, 'none'],
    ['nothing of the machine itself', guarded, {}, 'none'],
    ['the bootstrap key of anyone else', guarded, remote, 'bootstrap-key'],
    ['the setup token of everyone', tokened, {}, 'setup-token'],
  ])('setup asks for %s', async (_what, setup, request, credential) => {
    auth = await startAuth({ setup });
    const answer = await auth.ask('GET', path, request);
    expect(answer.body).toEqual({ setup_required: true, credential });
    expect((await auth.ask('HEAD', path, request)).status).toBe(200);
  });

  it('the state of setup says whether it is done', async () => {
    auth = await startAuth({ setup: open });
    await auth.ask('POST', path);
    expect((await auth.ask('GET', path)).body.setup_required).toBe(false);
  });

  it('the operator is warned while a call from this machine can claim the server without the bootstrap key', async () => {
    auth = await startAuth();
    const { db } = auth.host;
    expect(await setupExceptionWarning(db, guarded, {})).toContain('NODE_ENV=production');
    expect(await setupExceptionWarning(db, guarded, { nodeEnv: 'production' })).toBeNull();
    expect(await setupExceptionWarning(db, guarded, { publicUrl: 'https://k.example' })).toBeNull();
    expect(await setupExceptionWarning(db, open, {})).toBeNull();
    expect(await setupExceptionWarning(db, tokened, {})).toBeNull();
    await auth.ask('POST', path);
    expect(await setupExceptionWarning(db, guarded, {})).toBeNull();
  });

  it('the operator is warned while any caller can claim the server', async () => {
    auth = await startAuth({ setup: open });
    const { db } = auth.host;
    expect(await openSetupWarning(db, open)).toContain('POST /api/v1/setup is open');
    expect(await openSetupWarning(db, guarded)).toBeNull();
    expect(await openSetupWarning(db, { bootstrapKeys: [], setupToken: token })).toBeNull();
    await auth.ask('POST', path);
    expect(await openSetupWarning(db, open)).toBeNull();
  });
});

import { eventually } from '@latchkey/support/black-box/eventually';
import type { Environment } from '@latchkey/support/black-box/server-process';
import {
  areContainers,
  makeApiKey,
  type OwnServer,
  startServerToClose,
} from '@latchkey/support/black-box/target';
import { beforeAll, describe, expect, it } from 'vitest';

const path = '/api/v1/setup';
const setupToken = `setup-${makeApiKey()}`;
const proxied = { 'x-forwarded-for': '203.0.113.9' };

const publicUrl = 'http://keys.home.test:4100';
const setupWarning = /"warn".*api\/v1\/setup is open/i;
/** That calls from the machine itself need no credential. */
const exceptionWarning = /"warn".*ten minutes.*api\/v1\/setup/;

/** A server for the tests of one `describe`. Each is claimed once, so none is shared. */
function useServer(env: Environment): () => OwnServer {
  let server: OwnServer;
  beforeAll(async () => {
    server = await startServerToClose(env);
    return server.close;
  });
  return () => server;
}

describe('without ADMIN_API_KEY and SETUP_TOKEN', () => {
  const open = useServer({ ADMIN_API_KEY: undefined });

  it('a server without ADMIN_API_KEY and SETUP_TOKEN warns at start', async () => {
    const warned = () => expect(open().process.stderr()).toMatch(setupWarning);
    await eventually(warned);
    expect(open().process.stderr()).not.toMatch(exceptionWarning);
  });

  it('without ADMIN_API_KEY and SETUP_TOKEN, setup is open to everyone, once', async () => {
    const { client, process } = open();
    expect((await client.get(path)).json).toEqual({ setup_required: true, credential: 'none' });
    const options = { headers: proxied, json: { name: '  Mona ' } };
    const first = await client.call('POST', path, options);
    expect(first.status).toBe(201);
    expect(first.json.api_key).toMatchObject({ name: 'Mona', scope: 'admin', expiresAt: null });
    expect(first.headers['cache-control']).toBe('no-store');
    expect((await client.get('/api/v1/api-keys/current', first.json.raw_key)).status).toBe(200);
    expect((await client.call('POST', path, options)).code).toBe('SETUP_ALREADY_DONE');
    expect((await client.get(path)).json.setup_required).toBe(false);

    // Setup is open only while no API key is stored, and a revoked one is still stored.
    const { raw_key: own, api_key: key } = first.json;
    const last = await client.call('DELETE', `/api/v1/api-keys/${key.id}`, { as: own });
    expect(last.json.revokedAt).not.toBeNull();
    // Nobody can manage the server now. Caller and operator are warned, with the command to run.
    expect(last.headers.warning).toMatch(/^299 latchkey ".*npx latchkey api-keys create/);
    await eventually(() => expect(process.stderr()).toContain('npx latchkey api-keys create'));
    expect((await client.post(path, undefined)).code).toBe('SETUP_ALREADY_DONE');
  });
});

describe('with ADMIN_API_KEY', () => {
  const closed = useServer({});

  it.runIf(areContainers)(
    'setup from the machine that runs a container needs the bootstrap key',
    async () => {
      const { client } = closed();
      // Docker's bridge before a container is not the machine itself.
      expect((await client.get(path)).json).toEqual({ setup_required: true, credential: 'bootstrap-key' });
      expect((await client.post(path, undefined, {})).status).toBe(401);
    },
  );

  it('setup through a proxy with the bootstrap key, and no other one, creates the first key', async () => {
    const { client, adminApiKey } = closed();
    expect((await client.get(path, undefined, proxied)).json.credential).toBe('bootstrap-key');
    expect((await client.call('POST', path, { headers: proxied })).code).toBe('UNAUTHENTICATED');
    for (const as of [makeApiKey(), adminApiKey.slice(0, -1)])
      expect((await client.call('POST', path, { headers: proxied, as })).code).toBe('INVALID_API_KEY');
    // It announces a body and has none.
    const headers = { ...proxied, 'content-type': 'application/json' };
    const answer = await client.call('POST', path, { headers, as: adminApiKey });
    expect([answer.status, answer.json.api_key?.name]).toEqual([201, 'admin']);
    expect((await client.call('POST', path, { headers: proxied, as: adminApiKey })).status).toBe(409);
    const { json } = await client.get('/api/v1/audit?action=setup&limit=500', adminApiKey);
    expect(
      json.audit.find(({ requestId }: { requestId: string }) => requestId === answer.requestId),
    ).toMatchObject({
      actor: { kind: 'bootstrap-key', id: null },
      target: answer.json.api_key.id,
      outcome: 'done',
    });
    // Refusals of strangers from one address share a row.
    const refused = json.audit.filter(({ outcome }: { outcome: string }) => outcome === 'refused');
    expect(refused.at(-1)).toMatchObject({ code: 'UNAUTHENTICATED', actor: { kind: 'anonymous' } });
  });

  it('a server with ADMIN_API_KEY does not warn that setup is open to everyone', () => {
    expect(closed().process.stderr()).not.toMatch(setupWarning);
  });
});

describe('with SETUP_TOKEN', () => {
  const guarded = useServer({ SETUP_TOKEN: setupToken });

  it('the bootstrap key is not stored, so using it does not count as setup', async () => {
    const { client, adminApiKey, process } = guarded();
    expect((await client.get('/api/v1/content', adminApiKey)).status).toBe(200);
    expect((await client.get(path)).json.setup_required).toBe(true);
    for (const warning of [setupWarning, exceptionWarning]) expect(process.stderr()).not.toMatch(warning);
  });

  it('with SETUP_TOKEN every setup needs it, also from the machine itself and if there is a bootstrap key', async () => {
    const { client, adminApiKey } = guarded();
    expect((await client.get(path)).json).toEqual({ setup_required: true, credential: 'setup-token' });
    expect((await client.post(path, undefined)).code).toBe('UNAUTHENTICATED');
    for (const wrong of [adminApiKey, `${setupToken}x`, makeApiKey()]) {
      expect((await client.post(path, wrong)).status).toBe(401);
    }
    const basic = { authorization: `Basic ${setupToken}` };
    expect((await client.call('POST', path, { headers: basic })).code).toBe('UNAUTHENTICATED');
    // The credential is checked before the body, and the page before the credential.
    expect((await client.post(path, undefined, { nom: 1 })).code).toBe('UNAUTHENTICATED');
    const headers = { origin: 'https://evil.example' };
    expect((await client.call('POST', path, { headers, as: setupToken })).code).toBe('SETUP_REFUSED');
    for (const json of [{ name: '' }, { name: 5 }, { name: 'x'.repeat(201) }, { nom: 'x' }, [], 'text', null])
      expect((await client.post(path, setupToken, json)).code).toBe('VALIDATION_FAILED');
    expect((await client.get(path)).json.setup_required).toBe(true);
    expect((await client.post(path, setupToken)).status).toBe(201);
    expect((await client.post(path, setupToken)).status).toBe(409);
  });

  it('after the server is claimed, setup gets 409 with any credential and from any page', async () => {
    const { client, adminApiKey } = guarded();
    for (const as of [undefined, adminApiKey, makeApiKey(), setupToken])
      expect((await client.post(path, as)).code).toBe('SETUP_ALREADY_DONE');
    const headers = { ...proxied, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await client.call('POST', path, { headers })).code).toBe('SETUP_ALREADY_DONE');
    expect((await client.call('POST', path, { json: { nom: 1 } })).code).toBe('SETUP_ALREADY_DONE');
  });
});

describe('a web page', () => {
  const browsed = useServer({ ADMIN_API_KEY: undefined, PUBLIC_URL: publicUrl });
  const host = () => new URL(browsed().url).host;

  it.each<[string, Record<string, string>]>([
    ['of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['of another site by Sec-Fetch-Site alone', { 'sec-fetch-site': 'cross-site' }],
    ['of the same site on another origin', { 'sec-fetch-site': 'same-site' }],
    ['of another site by Origin alone', { origin: 'https://evil.example' }],
    ['without an origin', { origin: 'null' }],
    ['on another port of this machine', { origin: 'http://127.0.0.1:1' }],
    [
      'that names its origin as the forwarded host',
      { origin: 'https://e.example', 'x-forwarded-host': 'e.example' },
    ],
    // DNS rebinding: the page was loaded from this name, and its owner then pointed the name to this server.
    ['under a rebound name', { origin: 'http://evil.example:4100', host: 'evil.example:4100' }],
    [
      'under a rebound name that claims to be of the same origin',
      { origin: 'http://evil.example', host: 'evil.example', 'sec-fetch-site': 'same-origin' },
    ],
    // Firefox 153 sends a form like this after a redirect from https to http with 307 (RFC 9110 section 15.4.8).
    [
      'over TLS whose form is redirected to plain HTTP under a rebound name',
      { origin: 'https://evil.example:4100', host: 'evil.example:4100' },
    ],
  ])('a web page %s cannot claim the server: 403 SETUP_REFUSED with the reason', async (_what, headers) => {
    const { client } = browsed();
    const answer = await client.call('POST', path, { headers });
    expect([answer.status, answer.code]).toEqual([403, 'SETUP_REFUSED']);
    expect(answer.json.detail).toMatch(/Sec-Fetch-Site|Origin|PUBLIC_URL/);
    expect((await client.get(path)).json.setup_required).toBe(true);
  });

  it.each<[string, () => Record<string, string>]>([
    ['on the address of the server', () => ({ origin: `http://${host()}`, 'sec-fetch-site': 'same-origin' })],
    ['on localhost', () => ({ origin: 'http://localhost:4100', host: 'localhost:4100' })],
    ['at PUBLIC_URL', () => ({ origin: publicUrl, host: 'inner:4100', 'sec-fetch-site': 'same-origin' })],
    [
      'behind a proxy with TLS that keeps Host',
      () => ({ ...proxied, origin: 'https://k.example', host: 'k.example', 'sec-fetch-site': 'same-origin' }),
    ],
    [
      'behind such a proxy, in a browser that sends no Sec-Fetch-Site',
      () => ({ ...proxied, origin: 'https://k.example', host: 'k.example', 'x-forwarded-proto': 'https' }),
    ],
  ])('a web page %s counts as the own dashboard of the server', async (_what, headers) => {
    const { client } = browsed();
    // A name that is too long is refused only after the page and the credential were accepted, and claims nothing.
    const answer = await client.call('POST', path, { headers: headers(), json: { name: 'x'.repeat(201) } });
    expect(answer.code).toBe('VALIDATION_FAILED');
  });

  it('the own dashboard can claim the server: exactly one of 200 concurrent setups wins, and its key is the only one', async () => {
    const { client } = browsed();
    const headers = { origin: `http://${host()}`, 'sec-fetch-site': 'same-origin' };
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) => client.call('POST', path, { headers, json: { name: `n${n}` } })),
    );
    const won = answers.filter(({ status }) => status === 201);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 'SETUP_ALREADY_DONE')).toHaveLength(199);
    const { json } = await client.get('/api/v1/api-keys', won[0]?.json.raw_key);
    expect(json.api_keys.map(({ id }: { id: string }) => id)).toEqual([won[0]?.json.api_key.id]);
  });
});

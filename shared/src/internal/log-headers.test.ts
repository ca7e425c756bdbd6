import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Principal } from '../contracts/index.ts';
import { AppError } from '../errors/errors.ts';
import type { App } from '../http/index.ts';
import { createSilentHost } from '../testing/silent-host.ts';
import { addLogHeaders, readLogHeaders } from './answer-headers.ts';

let app: App;
let principal: Principal | null;
beforeEach(() => {
  app = createSilentHost();
  addLogHeaders(app);
  app.addHook('onRequest', async (request) => {
    request.principal = principal;
  });
  app.get('/keys/:contentId', { config: { access: 'open' } }, async () => 'key');
  app.get('/failed', { config: { access: 'open' } }, async () => {
    const call = { upstream: 'leases', tries: 2 };
    throw new AppError('DEPENDENCY_UNAVAILABLE', { cause: new Error('connect “refused”'), call });
  });
  app.get('/revoked', { config: { access: 'open' } }, async (request) => {
    request.revocation = { viewerId: 'Zoë \ud800' };
    return {};
  });
  app.get('/refused', { config: { access: 'open' } }, async () => {
    throw new AppError('LEASE_REVOKED');
  });
});
afterEach(() => app.close());

/** Any text without halves of surrogate pairs. fast-check's own takes two seconds to make its table of characters. */
const character = fc.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }));
const anyText = fc
  .array(character, { minLength: 1, maxLength: 12 })
  .map((points) => String.fromCodePoint(...points));

/** The facts that a gateway reads from the answer. */
const logHeaders = async (url: string) =>
  readLogHeaders((await app.inject(url)).headers as Record<string, string>);
const viewer = (id: string): Principal => ({
  kind: 'viewer',
  id,
  issuedNotBefore: null,
  contents: null,
  mayUpload: false,
});

describe('an answer tells', () => {
  test('an answer to the gateway names why a request failed: the cause, the service that was called and the tries', async () => {
    principal = null;
    const { failure, code } = await logHeaders('/failed');
    expect(code).toBe('DEPENDENCY_UNAVAILABLE');
    expect(failure).toEqual({ cause: 'connect “refused”', upstream: 'leases', tries: 2 });
  });

  test('an answer to the gateway names the principal, the code, the route and what was revoked', async () => {
    principal = viewer('ann');
    expect(await logHeaders('/refused')).toEqual({
      principal: { kind: 'viewer', id: 'ann' },
      code: 'LEASE_REVOKED',
      route: '/refused',
      failure: null,
    });
    principal = { kind: 'api-key', id: null, name: 'n', scope: 'admin', contents: null, cacheKey: 'c' };
    expect(await logHeaders('/keys/film')).toEqual({
      principal: { kind: 'api-key', id: null },
      code: null,
      route: '/keys/:contentId',
      failure: null,
    });
    expect(await logHeaders('/revoked')).toMatchObject({ revocation: { viewerId: 'Zoë \ud800' } });
    principal = null;
    expect(await logHeaders('/nowhere')).toEqual({
      principal: null,
      code: 'NOT_FOUND',
      route: null,
      failure: null,
    });
  });

  test('an answer carries any id unchanged, and an id never adds a header', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (id) => {
        principal = viewer(id);
        const { headers, statusCode } = await app.inject('/keys/film');
        expect(statusCode).toBe(200);
        expect(headers['x-latchkey-principal']).toMatch(/^viewer [\x21-\x7e]+$/);
        const { principal: read } = readLogHeaders(headers as Record<string, string>);
        expect(read).toEqual({ kind: 'viewer', id });
      }),
    );
  });

  test('an id that is not well-formed Unicode does not fail the request', async () => {
    principal = viewer('\ud800 alone');
    expect(await logHeaders('/keys/film')).toMatchObject({ principal: { id: '\ufffd alone' } });
  });
});

test.each([
  ['api-key 5f1b8c1e', { kind: 'api-key', id: '5f1b8c1e' }],
  ['api-key ', { kind: 'api-key', id: null }],
  ['api-key', { kind: 'api-key', id: null }],
  ['viewer a%20b', { kind: 'viewer', id: 'a b' }],
  ['viewer %zz', { kind: 'viewer', id: null }],
  ['odd', null],
  ['', null],
])('the header %j names the principal %j, with the space at its end and without it', (value, named) => {
  expect(readLogHeaders({ 'x-latchkey-principal': value }).principal).toEqual(named);
});

test('malformed log headers are ignored', () => {
  const nothing = { principal: null, code: null, route: null, failure: null };
  expect(readLogHeaders({})).toEqual(nothing);
  expect(readLogHeaders({ 'x-latchkey-principal': '%', 'x-latchkey-code': 'toString' })).toEqual(nothing);
  fc.assert(
    fc.property(fc.string(), (text) => {
      readLogHeaders({ 'x-latchkey-revocation': text });
      readLogHeaders({ 'x-latchkey-principal': text, 'x-latchkey-code': text, 'x-latchkey-route': text });
    }),
  );
});

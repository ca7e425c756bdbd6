import { afterEach, beforeEach, expect, test } from 'vitest';
import { startHost } from './host.fixture.ts';

let host: Awaited<ReturnType<typeof startHost>>;
beforeEach(async () => {
  host = await startHost();
});
afterEach(() => host.app.close());

async function post(body: Buffer, type = 'application/json') {
  const payload = new Uint8Array(body);
  const headers = { 'content-type': type };
  const response = await fetch(`${host.url}/things`, { method: 'POST', headers, body: payload });
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire, for the test to look into
  return { status: response.status, body: (await response.json()) as any };
}
const named = (bytes: Buffer) => Buffer.concat([Buffer.from('{"name":"'), bytes, Buffer.from('"}')]);

test.each([
  ['bytes that begin no character', [0xff, 0xfe]],
  ['Latin-1', [0x66, 0xfc, 0x72]],
  ['half a character', [0xe2, 0x82]],
  ['a longer form than needed', [0xc0, 0xaf]],
  ['half of a surrogate pair', [0xed, 0xa0, 0x80]],
])('a body with %s is a 400, and nothing of it is taken', async (_name, bytes) => {
  const { status, body } = await post(named(Buffer.from(bytes)));
  expect([status, body.code, body.errors]).toEqual([
    400,
    'VALIDATION_FAILED',
    [{ path: '', message: 'must be UTF-8' }],
  ]);
});

test('any charset but UTF-8 gets 415, whatever the bytes are', async () => {
  const body = named(Buffer.from('x'));
  for (const said of ['utf-8', 'UTF-8', '"utf-8"', 'utf8', 'utf-8; version=1']) {
    expect((await post(body, `application/json; charset=${said}`)).status, said).toBe(200);
  }
  for (const said of ['iso-8859-1', 'utf-16', '"windows-1252"', 'us-ascii', 'utf-8x']) {
    expect(await post(body, `application/json;charset=${said}`), said).toMatchObject({
      status: 415,
      body: { code: 'UNSUPPORTED_MEDIA_TYPE' },
    });
  }
  expect((await post(body, 'application/json; version=1')).status).toBe(200);
});

import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AuthFixture, startAuth, testBootstrapKey } from '../auth.fixture.ts';

const path = '/api/v1/events';
const admin = { credential: testBootstrapKey };

let auth: AuthFixture;
let port: number;
let opened: ClientRequest[];

beforeEach(async () => {
  auth = await startAuth();
  // Stands for what the host sets on every answer, such as CORS.
  auth.host.app.addHook('onRequest', async (_request, reply) => void reply.header('x-of-the-host', 'kept'));
  await auth.host.app.listen({ host: '127.0.0.1', port: 0 });
  port = (auth.host.app.server.address() as AddressInfo).port;
  opened = [];
});
afterEach(async () => {
  for (const client of opened) client.destroy();
  await auth.close();
});

async function watch(credential: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${credential}` };
  const client = get({ host: '127.0.0.1', port, path, headers });
  opened.push(client);
  client.on('error', () => {});
  const [answer] = (await once(client, 'response')) as [IncomingMessage];
  return answer.setEncoding('utf8');
}

async function readUntil(answer: IncomingMessage, pattern: RegExp): Promise<string> {
  let text = '';
  for await (const chunk of answer.iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (pattern.test(text)) return text;
  }
  throw new Error(`ended with ${text}`);
}

const ended = async (answer: IncomingMessage) => {
  answer.resume();
  if (!answer.readableEnded) await once(answer, 'end');
};

describe('the event stream over a socket', () => {
  it('GET /api/v1/events has the headers of an event stream and those of the host', async () => {
    const answer = await watch(testBootstrapKey);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-of-the-host': 'kept',
      'x-request-id': expect.any(String),
    });
    expect(await readUntil(answer, /\n\n/)).toMatch(/^retry: 2000\nid: [0-9a-f-]+-0\n\n$/);
  });

  it('the event stream shows a new API key without its hash', async () => {
    const answer = await watch(testBootstrapKey);
    await auth.create();
    const text = await readUntil(answer, /event: api-key\ndata: .*\n/);
    const row = await auth.host.db.selectFrom('api_keys').select('key_hash').executeTakeFirstOrThrow();
    expect(text).not.toContain(row.key_hash);
  });

  it('the event streams of other API keys continue when one is revoked', async () => {
    const { id } = await auth.create();
    const other = await watch(testBootstrapKey);
    await auth.ask('DELETE', `/api/v1/api-keys/${id}`, admin);
    expect(await readUntil(other, /"event":"revoked"/)).toContain(id);
  });

  it('an API key can open 32 event streams, the next gets 429 until one is closed, and other keys are not affected', async () => {
    const { rawKey } = await auth.create();
    const streams = [];
    for (let n = 0; n < 32; n++) streams.push(await watch(rawKey));
    expect(streams.map(({ statusCode }) => statusCode)).toEqual(Array(32).fill(200));
    const refused = await watch(rawKey);
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '10']);
    expect(JSON.parse((await refused.toArray()).join(''))).toMatchObject({ code: 'RATE_LIMITED' });
    expect((await watch(testBootstrapKey)).statusCode).toBe(200);
    streams[0]?.destroy();
    await expect.poll(async () => (await watch(rawKey)).statusCode, { timeout: 20_000 }).toBe(200);
  });

  it('open event streams do not delay the end of the server', async () => {
    const answer = await watch(testBootstrapKey);
    await Promise.all([auth.host.app.close(), ended(answer)]);
  });

  it('an event stream writes its log line when the client leaves', async () => {
    const answer = await watch(testBootstrapKey);
    expect(auth.host.lines).toEqual([]);
    answer.destroy();
    await expect
      .poll(() => auth.host.lines, { timeout: 20_000 })
      .toMatchObject([{ route: path, status: 200, code: null }]);
  });
});

import type { RequestListener } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { serveBehindGate } from '../testing/index.ts';
import { serveHttp } from '../testing/serve-http.ts';
import { stopTime } from '../testing/stop-time.ts';
import { connectService } from '../testing/test-upstream.ts';

const serve = async (listener: RequestListener) => (await serveHttp(listener)).url;

const connect = (url: string, secret = 'any secret') =>
  connectService([url], { secret, answerTimeoutMs: null, connections: 1 });

async function faultsOf(client: ReturnType<typeof connect>): Promise<string[]> {
  const refusal = { code: 'DEPENDENCY_UNAVAILABLE' };
  await expect(client.get('/internal/x', (body) => body)).rejects.toMatchObject(refusal);
  return client.faults;
}

test('a call with another INTERNAL_SECRET than the called service has is reported by the name of that variable', async () => {
  const served = await serveBehindGate('the secret of the service, 32 bytes or more', (app) => {
    app.get('/internal/x', { config: { access: 'internal' } }, async () => ({}));
  });
  onTestFinished(() => served.close());
  const [fault] = await faultsOf(connect(served.url, 'another secret of 32 bytes or more'));
  expect(fault).toContain('INTERNAL_SECRET');
});

test('an answer that is not JSON is reported as such', async () => {
  const faults = await faultsOf(connect(await serve((_, response) => response.end('<html>'))));
  expect(faults).toEqual(['its answer is not JSON']);
});

test('a call that got no answer in time is reported with its limit', async () => {
  const time = stopTime();
  const asked = Promise.withResolvers<void>();
  const pending = faultsOf(connect(await serve(() => asked.resolve())));
  await asked.promise;
  time.advance(2_000);
  expect(await pending).toEqual(['it gave no answer within 2000 ms']);
});

test('the limit of a call ends with its answer, so nothing is aborted later', async () => {
  const time = stopTime();
  const client = connect(await serve((_, response) => response.end('{}')));
  await client.get('/internal/x', (body) => body);
  const aborts = vi.spyOn(AbortController.prototype, 'abort');
  onTestFinished(() => aborts.mockRestore());
  time.advance(2_000);
  expect(aborts).not.toHaveBeenCalled();
});

test('a call whose answer stops in the middle is reported with its limit', async () => {
  const time = stopTime();
  const begun = Promise.withResolvers<void>();
  const url = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '10' });
    response.write('{', () => begun.resolve());
  });
  const pending = faultsOf(connect(url));
  await begun.promise;
  time.advance(2_000);
  expect(await pending).toEqual(['it gave no answer within 2000 ms']);
});

test.each([
  [500, {}, 'it answered 500'],
  [503, {}, 'it answered 503: it lacks something itself, which its own log and its /ready name'],
  [400, {}, 'it answered 400'],
  [401, {}, 'it answered 401'],
  [404, {}, 'it answered 404'],
  [503, { 'x-latchkey-phase': 'starting' }, 'it is still starting'],
  [503, { 'x-latchkey-phase': 'unsure' }, 'its cached states may be out of date'],
])('an answer with status %i and the headers %j is reported as: %s', async (status, headers, message) => {
  const url = await serve((_, response) => response.writeHead(status, headers).end('{}'));
  expect(new Set(await faultsOf(connect(url)))).toEqual(new Set([message]));
});

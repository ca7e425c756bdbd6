import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { startAuth, testBootstrapKey } from '../auth.fixture.ts';

it('an API key can open 32 event streams, the next gets 429 until one is closed, and other keys are not affected', async () => {
  const auth = await startAuth();
  onTestFinished(() => auth.close());
  const url = `${await auth.host.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1/events`;
  async function watch(credential: string): Promise<IncomingMessage> {
    const client = get(url, { headers: { authorization: `Bearer ${credential}` } });
    client.on('error', () => {});
    onTestFinished(() => void client.destroy());
    const [answer] = (await once(client, 'response')) as [IncomingMessage];
    return answer.setEncoding('utf8');
  }
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

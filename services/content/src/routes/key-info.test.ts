import { databaseKinds } from '@latchkey/shared/testing';
import { expect, onTestFinished, test } from 'vitest';
import { keys, serveContents } from '../content-service.fixture.ts';

async function serve(publicUrl: string | null) {
  const [sqlite] = databaseKinds({});
  const database = await sqlite?.open();
  if (!database) throw new Error('there is always SQLite');
  const { clock, app, ask, pull } = await serveContents(database.db, { publicUrl });
  onTestFinished(async () => {
    await app.close();
    await database.close();
  });
  const headers = { authorization: `Bearer ${keys.playback}` };
  const info = async () => {
    // As each second in a process: without it nothing is served after half a minute.
    await pull();
    return app.inject({ url: '/api/v1/content/live/key-info', headers });
  };
  return { clock, ask, info };
}

test('key info names the next epoch from the millisecond in which it begins', async () => {
  const { clock, ask, info } = await serve('https://keys.example');
  const origin = new Date(clock.now() + 5_000).toISOString();
  const keyPeriods = { mode: 'clock', origin, periodSeconds: 10 };
  await ask('POST', '', { id: 'live', name: 'x', keyPeriods });
  const epoch = async () => {
    const answer = await info();
    return answer.statusCode === 200 ? answer.body.split('\n', 1)[0] : answer.json().code;
  };
  clock.advance(4_999);
  expect(await epoch()).toBe('EPOCH_NOT_YET');
  clock.advance(1);
  expect(await epoch()).toBe('https://keys.example/keys/live/0');
  clock.advance(9_999);
  expect(await epoch()).toBe('https://keys.example/keys/live/0');
  clock.advance(1);
  expect(await epoch()).toBe('https://keys.example/keys/live/1');
  clock.advance(86_400_000);
  expect(await epoch()).toBe('https://keys.example/keys/live/8641');
});

test('without PUBLIC_URL key info gets 409, a detail that names it, and nothing of the Host of the request', async () => {
  const { ask, info } = await serve(null);
  await ask('POST', '', { id: 'live', name: 'x' });
  const answer = await info();
  expect([answer.statusCode, answer.json().code]).toEqual([409, 'PUBLIC_URL_MISSING']);
  expect(answer.json().detail).toContain('Set PUBLIC_URL');
});

import { databaseKinds, type TestDatabase } from '@latchkey/shared/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keys, serveContents } from '../content-service.fixture.ts';

describe.each(databaseKinds({}))('key info on $name', ({ open }) => {
  let database: TestDatabase;
  let service: Awaited<ReturnType<typeof serveContents>>;
  beforeEach(async () => {
    database = await open();
    service = await serveContents(database.db, { publicUrl: 'https://keys.example' });
  });
  afterEach(async () => {
    await service.app.close();
    await database.close();
  });

  const ask = (from: typeof service, query = '') =>
    from.app.inject({
      method: 'GET',
      url: `/api/v1/content/live/key-info${query}`,
      headers: { authorization: `Bearer ${keys.playback}` },
    });

  test('key info names the next epoch from the millisecond in which it begins', async () => {
    const { clock } = service;
    const origin = new Date(clock.now() + 5_000).toISOString();
    const keyPeriods = { mode: 'clock', origin, periodSeconds: 10 };
    await service.ask('POST', '', { id: 'live', name: 'x', keyPeriods });
    const epoch = async () => {
      const answer = await ask(service);
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
    const without = await serveContents(database.db);
    await without.ask('POST', '', { id: 'live', name: 'x' });
    const answer = await ask(without);
    expect([answer.statusCode, answer.json().code]).toEqual([409, 'PUBLIC_URL_MISSING']);
    expect(answer.json().detail).toContain('Set PUBLIC_URL');
    await without.app.close();
  });
});

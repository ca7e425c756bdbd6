import fastify from 'fastify';
import { expect, test } from 'vitest';
import type { App } from '../http/index.ts';
import { announceUnsure } from './answer-headers.ts';

test('a process marks its answers as unsure after 4 s without changes, and as ending in preference to that', async () => {
  const app = fastify();
  let ageMs: number | null = null;
  let isEnding = false;
  app.addHook('onRequest', (_request, reply, done) => {
    if (isEnding) reply.header('x-latchkey-phase', 'ending');
    done();
  });
  announceUnsure(app as unknown as App, () => ageMs);
  app.get('/', async () => 'ok');
  const phase = async () => (await app.inject('/')).headers['x-latchkey-phase'];
  expect(await phase()).toBeUndefined();
  for (ageMs of [0, 1_000, 4_000]) expect(await phase()).toBeUndefined();
  ageMs = 4_001;
  expect(await phase()).toBe('unsure');
  isEnding = true;
  expect(await phase()).toBe('ending');
  await app.close();
});

test.each([
  [1_000, 800],
  [300_000, 4_000],
])(
  'where states are believed for %i ms, a process tells that it is unsure after %i ms',
  async (limitMs, unsureAfterMs) => {
    const app = fastify();
    let ageMs = unsureAfterMs;
    announceUnsure(app as unknown as App, () => ageMs, limitMs);
    app.get('/', async () => 'ok');
    const phase = async () => (await app.inject('/')).headers['x-latchkey-phase'];
    expect(await phase()).toBeUndefined();
    ageMs++;
    expect(await phase()).toBe('unsure');
    await app.close();
  },
);

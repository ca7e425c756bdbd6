import fastify from 'fastify';
import { expect, test } from 'vitest';
import type { App } from '../http/index.ts';
import { announceUnsure } from './answer-headers.ts';

test.each([
  [undefined, 4_000],
  [1_000, 800],
  [300_000, 4_000],
])(
  'where states are believed for %s ms, a process marks its answers as unsure after %i ms without changes, and as ending in preference to that',
  async (limitMs, unsureAfterMs) => {
    const app = fastify();
    let ageMs: number | null = null;
    let isEnding = false;
    app.addHook('onRequest', (_request, reply, done) => {
      if (isEnding) reply.header('x-latchkey-phase', 'ending');
      done();
    });
    announceUnsure(app as unknown as App, () => ageMs, limitMs);
    app.get('/', async () => 'ok');
    const phase = async () => (await app.inject('/')).headers['x-latchkey-phase'];
    for (ageMs of [null, 0, unsureAfterMs]) expect(await phase()).toBeUndefined();
    ageMs = unsureAfterMs + 1;
    expect(await phase()).toBe('unsure');
    isEnding = true;
    expect(await phase()).toBe('ending');
    await app.close();
  },
);

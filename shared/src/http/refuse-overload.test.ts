import { expect, test } from 'vitest';
import { createMetrics } from '../metrics/metrics.ts';
import { createRefusal, mayBeRefused } from './refuse-overload.ts';

test.each([
  ['GET', '/keys/film'],
  ['HEAD', '/keys/film/7?access_token=a'],
  ['POST', '/licenses/clearkey/film'],
  ['GET', '/play/film/a/main.m3u8'],
  ['POST', '/keys/leases'],
  ['POST', '/keys/sessions'],
  ['POST', '/api/v1/player-metrics'],
])('while more requests come than can be served, %s %s may be refused', (method, url) => {
  expect(mayBeRefused({ method, url })).toBe(true);
});

test.each([
  ['GET', '/health'],
  ['GET', '/ready'],
  ['OPTIONS', '/keys/film'],
  ['POST', '/keys/leases/renew'],
  ['POST', '/keys/leases/release'],
  ['POST', '/keys/leases/revoke'],
  ['DELETE', '/api/v1/leases/a'],
  ['PATCH', '/api/v1/content/film'],
  ['GET', '/api/v1/leases'],
  ['POST', '/internal/leases'],
])('while more requests come than can be served, %s %s is served', (method, url) => {
  expect(mayBeRefused({ method, url })).toBe(false);
});

test('a process that was late while it started refuses nothing, and later says once a minute that it does', () => {
  let now = 0;
  const logged: string[] = [];
  const { begin, refuse } = createRefusal(
    { delayMs: 100, random: () => 0.999, nowMs: () => now },
    { operatorLog: { warn: (message) => void logged.push(message) }, metrics: createMetrics() },
  );
  const ask = (atMs: number) => {
    now = atMs;
    try {
      refuse({ method: 'GET', url: '/keys/film' });
      return 'served';
    } catch (error) {
      return (error as { retryAfterSeconds?: number }).retryAfterSeconds;
    }
  };
  expect(ask(0)).toBe('served');
  begin();
  expect([ask(1_999), ask(2_000), ask(61_000)]).toEqual(['served', 3, 3]);
  expect(logged).toEqual([expect.stringContaining('later than 100 ms (OVERLOAD_DELAY_MS)')]);
  ask(62_001);
  expect(logged).toHaveLength(2);
});

import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { limitExpectedWait } from './limit-wait.ts';

const request = (method: string, url: string) => ({ method, url }) as IncomingMessage;

test.each([
  ['off', 3_000],
  [10, 100],
  [1, 10],
  [10_000, 3_000],
] as const)(
  'with OVERLOAD_DELAY_MS %s a key request may expect to wait %d ms for a service',
  (delay, limitMs) => {
    const limitOf = limitExpectedWait(delay);
    expect(limitOf(request('GET', '/keys/film'))).toBe(limitMs);
    expect(limitOf(request('POST', '/keys/leases'))).toBe(limitMs);
  },
);

test.each([
  ['POST', '/keys/leases/revoke'],
  ['POST', '/keys/leases/renew'],
  ['DELETE', '/api/v1/content/film'],
  ['GET', '/api/v1/leases'],
])('an overload does not shorten how long %s %s may wait', (method, url) => {
  expect(limitExpectedWait(1)(request(method, url))).toBe(3_000);
});

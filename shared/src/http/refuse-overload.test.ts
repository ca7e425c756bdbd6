import { expect, test } from 'vitest';
import { mayBeRefused } from './refuse-overload.ts';

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

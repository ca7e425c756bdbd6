import { expect, test } from 'vitest';
import { createRanking } from './request-rank.ts';

const ofClients = createRanking(false);
const ofServices = createRanking(true);

test.each([
  ['GET', '/health', 'always'],
  ['HEAD', '/ready?verbose=1', 'always'],
  ['POST', '/keys/leases/revoke', 'always'],
  ['DELETE', '/api/v1/api-keys/5', 'always'],
  ['DELETE', '/api/v1/content/film', 'always'],
  ['POST', '/api/v1/api-keys/5/rotate', 'always'],
  ['OPTIONS', '/keys/film/0', 'always'],
  ['GET', '/api/v1/leases?viewerId=ann', 'early'],
  ['POST', '/keys/leases/renew', 'early'],
  ['GET', '/keys/film', 'usual'],
  ['GET', '/keys/film/7?access_token=x', 'usual'],
  ['GET', '/play/x/index.m3u8', 'usual'],
  ['POST', '/licenses/clearkey/film', 'usual'],
  ['GET', '/keys/film/revoke', 'usual'],
  ['GET', '/%61pi/v1/leases', 'usual'],
  ['GET', 'http://host/api/v1/leases', 'usual'],
  ['POST', '/keys/leases', 'late'],
  ['POST', '/keys/sessions', 'late'],
  ['POST', '/api/v1/player-metrics', 'late'],
] as const)('%s %s has the rank %s', (method, url, rank) => {
  expect(ofClients({ method, url })).toBe(rank);
  expect(ofServices({ method, url })).toBe(rank);
});

test('a call between services is always served by a service, and is a stranger to a gateway', () => {
  const call = { method: 'GET', url: '/internal/feed' };
  expect(ofServices(call)).toBe('always');
  expect(ofClients(call)).toBe('early');
});

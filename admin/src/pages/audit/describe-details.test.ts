import { expect, it } from 'vitest';
import { describeChange, summarize, targetAddress } from './describe-details.ts';

it('a change shows the values before and after it, and shows none for a missing value', () => {
  expect(describeChange({ before: 'Film', after: 'Movie' })).toBe('Film → Movie');
  expect(describeChange({ before: null, after: { a: 1 } })).toBe('none → {"a":1}');
});

it('a row shows the reason, or what changed', () => {
  expect(summarize({ reason: 'shared', changes: { name: { before: 1, after: 2 } } })).toBe('shared');
  expect(summarize({ changes: { name: { before: 1, after: 2 }, status: { before: 1, after: 2 } } })).toBe(
    'name, status',
  );
  expect([summarize(null), summarize({})]).toEqual([null, null]);
});

it.each([
  ['content.update', 'film', '/content/film'],
  ['content.update', 'film.mp4', null],
  [
    'lease.revoke',
    '98ee5596-cd3e-a20d-163a-e382420c6eff',
    '/leases?lease=98ee5596-cd3e-a20d-163a-e382420c6eff',
  ],
  ['lease.revoke', 'viewer:ada', '/viewers?viewer=ada'],
  ['lease.revoke', 'viewer:"a b&c" content:film', '/viewers?viewer=a+b%26c'],
  ['lease.revoke', 'viewer:"eve content:film"', '/viewers?viewer=eve+content%3Afilm'],
  ['lease.revoke', 'viewer:"x viewer:ada"', '/viewers?viewer=x+viewer%3Aada'],
  ['lease.revoke', 'viewer:"a\\",\\"viewerId\\":\\"ada"', '/viewers?viewer=a%22%2C%22viewerId%22%3A%22ada'],
  // It could be of two viewers.
  ['lease.revoke', 'viewer:a b&c content:film', null],
  ['lease.revoke', 'content:film', '/content/film'],
  [
    'api-key.create',
    '98ee5596-cd3e-a20d-163a-e382420c6eff',
    '/api-keys/98ee5596-cd3e-a20d-163a-e382420c6eff',
  ],
  ['api-key.create', 'x', null],
  [
    'webhook.test',
    '98ee5596-cd3e-a20d-163a-e382420c6eff',
    '/webhooks?webhook=98ee5596-cd3e-a20d-163a-e382420c6eff',
  ],
  ['lease.list', null, null],
])('the target of %s %s is shown at %s', (action, target, address) => {
  expect(targetAddress({ action, target })).toBe(address);
});

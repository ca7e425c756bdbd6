import type { IncomingMessage } from 'node:http';
import { Secret } from '@latchkey/shared/config';
import { parseTrustProxy } from '@latchkey/shared/net';
import { expect, test } from 'vitest';
import { createPersonTaker, proxySecretHeader } from './take-person.ts';

const secret = 's'.repeat(40);
const take = createPersonTaker({
  trustProxy: parseTrustProxy('192.0.2.7,2001:db8::/32') ?? { kind: 'none' },
  dashboardUserHeader: 'remote-user',
  dashboardUserSecret: new Secret(secret),
});

function requestOf(names: string[], presented: string | null = secret, remoteAddress = '192.0.2.7') {
  const headers: Record<string, string> = { 'remote-user': names.join(', '), accept: '*/*' };
  if (names.length === 0) delete headers['remote-user'];
  if (presented !== null) headers[proxySecretHeader] = presented;
  const headersDistinct = { 'remote-user': names.length === 0 ? undefined : names };
  return { headers, headersDistinct, socket: { remoteAddress } } as unknown as IncomingMessage;
}
const bytesOf = (text: string) => Buffer.from(text).toString('latin1');

test.each([
  ['ann@example.com', requestOf(['ann@example.com'])],
  ['Zoë Müller', requestOf([bytesOf(' Zoë Müller ')])],
  ['x'.repeat(200), requestOf(['x'.repeat(200)])],
  ['ann', requestOf(['ann'], secret, '::ffff:192.0.2.7')],
  ['ann', requestOf(['ann'], secret, '2001:db8::1')],
])('a proxy with the secret names %s, and both headers are removed', (person, request) => {
  expect(take?.(request)).toBe(person);
  expect(request.headers).toEqual({ accept: '*/*' });
});

test.each([
  ['without the secret', requestOf(['ann'], null)],
  ['with another secret', requestOf(['ann'], `${secret}x`)],
  ['from another address', requestOf(['ann'], secret, '192.0.2.8')],
  ['from no address', requestOf(['ann'], secret, '')],
  ['twice', requestOf(['eve', 'ann'])],
  ['that is empty', requestOf([' '])],
  ['of 201 characters', requestOf(['x'.repeat(201)])],
  ['of a million characters', requestOf(['x'.repeat(1_000_000)])],
  ['that is not UTF-8', requestOf(['\u00ff\u00fe'])],
  ['with a control character', requestOf(['ann\u0007'])],
  ['that is missing', requestOf([])],
])('a name %s is ignored, and no header of it is left', (_, request) => {
  expect(take?.(request)).toBeNull();
  expect(request.headers).not.toHaveProperty('remote-user');
});

test('without the setting nothing is taken', () => {
  expect(createPersonTaker({})).toBeNull();
});

import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveClientIp } from './client-ip.ts';
import { parseTrustProxy, type TrustProxy } from './trust-proxy.ts';

function trust(text: string): TrustProxy {
  const parsed = parseTrustProxy(text);
  if (!parsed) throw new Error(text);
  return parsed;
}

describe('the client IP', () => {
  it.each([
    // TRUST_PROXY, peer, X-Forwarded-For, client IP
    ['false', '192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ['true', '192.0.2.1', '203.0.113.9, 10.0.0.1, 10.0.0.2', '203.0.113.9'],
    ['true', '192.0.2.1', 'unknown, 10.0.0.1', '192.0.2.1'],
    ['3', '192.0.2.1', '198.51.100.7, 203.0.113.9', '192.0.2.1'],
    [
      '10',
      '192.0.2.1',
      '9.9.9.9,1.1.1.1,2.2.2.2,3.3.3.3,4.4.4.4,5.5.5.5,6.6.6.6,7.7.7.7,8.8.8.8,10.0.0.9',
      '9.9.9.9',
    ],
    ['2', '192.0.2.1', '198.51.100.7, garbage', '192.0.2.1'],
    ['1', '192.0.2.1', 'garbage, 203.0.113.9', '203.0.113.9'],
    ['1', '192.0.2.1', '203.0.113.9,', '192.0.2.1'],
    ['2', '192.0.2.1', ',203.0.113.9', '192.0.2.1'],
    ['loopback', '127.0.0.1', '198.51.100.7, 203.0.113.9, ::1, 127.0.0.5', '203.0.113.9'],
    ['loopback', '::ffff:127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['loopback', '192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ['loopback', '127.0.0.1', '127.0.0.9, ::1', '127.0.0.9'],
    ['loopback', '127.0.0.1', '203.0.113.9, garbage, ::1', '127.0.0.1'],
    ['loopback', '127.0.0.1', 'garbage, 203.0.113.9', '203.0.113.9'],
    ['10.0.0.0/8', '10.0.0.1', '203.0.113.9, ::ffff:10.9.9.9', '203.0.113.9'],
    ['uniquelocal', 'fd00::1', '2001:DB8::1', '2001:db8::1'],
    ['uniquelocal,loopback', 'fd00::1', '203.0.113.9, ::1, 192.168.1.1', '203.0.113.9'],
  ])('TRUST_PROXY=%s, peer %s, X-Forwarded-For "%s" → %s', (variable, peer, forwardedFor, client) => {
    expect(resolveClientIp(trust(variable), peer, forwardedFor)).toBe(client);
  });

  it.each([
    ['203.0.113.9:8080', '203.0.113.9'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25eth0]:443', 'fe80::1'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::FFFF:cb00:7109', '203.0.113.9'],
    ['[::ffff:203.0.113.9]:80', '203.0.113.9'],
    ['0:0:0:0:0:ffff:cb00:7109', '203.0.113.9'],
    ['2001:0DB8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    [' \t203.0.113.9 ', '203.0.113.9'],
  ])('reads the entry "%s" as %s', (entry, client) => {
    expect(resolveClientIp(trust('1'), '192.0.2.1', entry)).toBe(client);
  });

  it.each([
    'unknown',
    '',
    '[203.0.113.9]',
    '[::1',
    '::1]',
    '[::1]443',
    '203.0.113.9:',
    '203.0.113.9:x',
    '203.0.113.9:123456',
    '203.0.113.9%eth0',
    '203.0.113',
    '203.0.113.09',
    '"203.0.113.9"',
    'localhost',
  ])('takes the entry "%s" for garbage', (entry) => {
    expect(resolveClientIp(trust('1'), '192.0.2.1', entry)).toBe('192.0.2.1');
    expect(resolveClientIp(trust('true'), '192.0.2.1', entry)).toBe('192.0.2.1');
    expect(resolveClientIp(trust('192.0.2.1'), '192.0.2.1', entry)).toBe('192.0.2.1');
  });

  it.each([
    ['::1', '::1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['fe80::1%eth0', 'fe80::1'],
    [undefined, '0.0.0.0'],
  ])('normalises the peer %s to %s, with and without a header to ignore', (peer, client) => {
    expect(resolveClientIp(trust('false'), peer, '203.0.113.9')).toBe(client);
    expect(resolveClientIp(trust('true'), peer, undefined)).toBe(client);
    expect(resolveClientIp(trust('1'), peer, '')).toBe(client);
  });

  it('several X-Forwarded-For headers are read as one list', () => {
    expect(resolveClientIp(trust('2'), '192.0.2.1', ['198.51.100.7', '203.0.113.9'])).toBe('198.51.100.7');
  });

  it('the client IP is always a valid address, whatever the peer and the header are', () => {
    const address = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.string(),
      fc.constantFrom('::1', '127.0.0.1', '[::1]:80'),
    );
    const chain = fc.array(address, { maxLength: 12 }).map((entries) => entries.join(','));
    const variable = fc.constantFrom('false', 'true', '1', '3', '10', 'loopback', 'uniquelocal,2000::/3');
    fc.assert(
      fc.property(
        variable,
        fc.option(address, { nil: undefined }),
        fc.oneof(chain, fc.string()),
        (v, peer, header) => {
          expect(isIP(resolveClientIp(trust(v), peer, header))).not.toBe(0);
        },
      ),
    );
  });

  it('of a long X-Forwarded-For only the needed part is read', () => {
    // 16 KiB is the most that Node takes as headers. Only the last entry is an address: reading further gives the peer.
    const long = `${'garbage,'.repeat(2048)}203.0.113.9`;
    expect(resolveClientIp(trust('1'), '127.0.0.1', long)).toBe('203.0.113.9');
    expect(resolveClientIp(trust('loopback'), '127.0.0.1', long)).toBe('203.0.113.9');
  });
});

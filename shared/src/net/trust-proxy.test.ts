import { describe, expect, it } from 'vitest';
import { parseTrustProxy } from './trust-proxy.ts';

const parsed = (text: string) => parseTrustProxy(text) ?? 'refused';

describe('TRUST_PROXY', () => {
  it('TRUST_PROXY false ignores the headers, and true trusts every proxy', () => {
    expect([parsed('false'), parsed('true')]).toEqual([{ kind: 'none' }, { kind: 'all' }]);
  });

  it.each([1, 10])('TRUST_PROXY %j is a number of hops', (hops) => {
    expect(parsed(String(hops))).toEqual({ kind: 'hops', hops });
  });

  it.each([
    ['loopback', ['127.0.0.1', '127.9.9.9', '::1'], ['128.0.0.1', '10.0.0.1', '::2']],
    ['linklocal', ['169.254.1.1', 'fe80::1'], ['169.255.0.1', 'fec0::1']],
    [
      'uniquelocal',
      ['10.1.1.1', '172.31.0.1', '192.168.0.1', 'fd00::1'],
      ['172.32.0.1', '9.9.9.9', 'fe80::1'],
    ],
    ['10.0.0.0/8', ['10.255.0.1'], ['11.0.0.1', '::1']],
    ['10.1.2.3/8', ['10.255.0.1'], ['11.0.0.1']],
    ['192.0.2.7', ['192.0.2.7'], ['192.0.2.8']],
    ['2001:db8::/32', ['2001:db8:1::1'], ['2001:db9::1', '1.2.3.4']],
    ['::ffff:10.0.0.0/104', ['10.2.3.4'], ['11.0.0.1']],
    ['::ffff:192.0.2.7', ['192.0.2.7'], ['192.0.2.8']],
    ['loopback, 192.0.2.7 ,fd00::/8', ['127.0.0.1', '192.0.2.7', 'fd01::1'], ['192.0.2.8', 'fe80::1']],
  ])('%s trusts exactly its addresses', (text, inside, outside) => {
    const trust = parsed(text);
    if (trust === 'refused' || trust.kind !== 'list') throw new Error(`${text} is no list`);
    const trusts = (ip: string) => trust.trusted.check(ip, ip.includes(':') ? 'ipv6' : 'ipv4');
    expect(inside.filter((ip) => !trusts(ip))).toEqual([]);
    expect(outside.filter(trusts)).toEqual([]);
  });

  it.each([
    '0',
    '01',
    '1.5',
    '-1',
    '11',
    ' 1',
    'yes',
    'True',
    '0.0.0.0/0',
    '::/0',
    '::ffff:0:0/96',
    '::ffff:1.2.3.4/95',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '10.0.0.0/',
    '/8',
    '1.2.3',
    '1.2.3.4:80',
    '[::1]',
    'fe80::1%eth0',
    '2001:db8::/129',
    'localhost',
    'constructor',
    '*',
    'loopback,',
    '1,2',
    'loopback,0.0.0.0/0',
  ])('refuses %j', (text) => {
    expect(parsed(text)).toBe('refused');
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { networkOf, normalizeIp } from './ip-address.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['fe80::', 'fe80:0:0:0::/64'],
  ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
])('%s counts as %s', (address, network) => expect(networkOf(address)).toBe(network));

test('two IPv6 addresses count as one exactly where their first 64 bits are the same', () => {
  const hextet = fc.integer({ min: 0, max: 0xffff }).map((value) => (value % 3 === 0 ? 0 : value));
  const half = fc.tuple(hextet, hextet, hextet, hextet);
  const write = (...halves: number[][]) =>
    normalizeIp(
      halves
        .flat()
        .map((value) => value.toString(16))
        .join(':'),
    ) ?? '';
  fc.assert(
    fc.property(half, half, half, (network, one, other) => {
      // IPv4 inside of IPv6 is an IPv4 address.
      fc.pre(network.some((value) => value !== 0));
      expect(networkOf(write(network, one))).toBe(networkOf(write(network, other)));
      const isSame = network.join() === other.join();
      fc.pre(other.some((value) => value !== 0));
      expect(networkOf(write(network, one)) === networkOf(write(other, one))).toBe(isSame);
    }),
  );
});

import { createSystemClock } from '@latchkey/shared/clock';
import { createReadiness } from '@latchkey/shared/lifecycle';
import type { RequestLine } from '@latchkey/shared/log';
import { createMetrics } from '@latchkey/shared/metrics';
import { parseTrustProxy } from '@latchkey/shared/net';
import { describe, expect, it } from 'vitest';
import { createGateway } from './gateway.ts';

const silent = { info: () => {}, warn: () => {}, error: () => {} };

/** The address in the log line of one request through a whole gateway. */
async function clientIpOf(
  variable: string,
  peer: string,
  headers: Record<string, string | string[]>,
): Promise<string> {
  const trust = parseTrustProxy(variable);
  if ('wrong' in trust) throw new Error(trust.wrong);
  const lines: RequestLine[] = [];
  const clock = createSystemClock();
  const app = await createGateway({
    version: '0.0.0',
    clock,
    trustProxy: trust.value,
    corsOrigins: [],
    viewerTokenFrom: ['header'],
    publicUrl: null,
    readiness: createReadiness([], clock, () => {}),
    requestLog: { write: (line) => void lines.push(line), flush: () => {} },
    operatorLog: silent,
    metrics: createMetrics(),
  });
  try {
    await app.inject({ url: '/health', remoteAddress: peer, headers });
    expect(lines).toHaveLength(1);
    return lines[0]?.clientIp ?? '';
  } finally {
    await app.close();
  }
}

const proxy = '10.0.0.1';
const stranger = '192.0.2.1';

describe('the client IP of a request, with the headers that proxies send and strangers forge', () => {
  it.each([
    // TRUST_PROXY, peer, X-Forwarded-For, client IP
    ['', proxy, '203.0.113.9', proxy],
    ['false', proxy, '203.0.113.9', proxy],
    ['true', stranger, '198.51.100.7, 203.0.113.9', '198.51.100.7'],
    ['loopback', '127.0.0.1', '198.51.100.7, 203.0.113.9', '203.0.113.9'],
    ['loopback', '::1', '203.0.113.9', '203.0.113.9'],
    ['loopback', '::ffff:127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['loopback', stranger, '203.0.113.9', stranger],
    ['1', proxy, '198.51.100.7, 203.0.113.9', '203.0.113.9'],
    ['2', proxy, '198.51.100.7, 203.0.113.9', '198.51.100.7'],
    ['3', proxy, '198.51.100.7, 203.0.113.9', proxy],
    ['10', proxy, '198.51.100.7, 203.0.113.9', proxy],
    ['10.0.0.0/8', proxy, '198.51.100.7, 203.0.113.9, 10.9.9.9', '203.0.113.9'],
    ['10.0.0.0/8', stranger, '203.0.113.9', stranger],
    ['10.0.0.1', proxy, '203.0.113.9', '203.0.113.9'],
    ['10.0.0.2', proxy, '203.0.113.9', proxy],
    ['uniquelocal,loopback', 'fd00::1', '203.0.113.9, ::1, 192.168.1.1', '203.0.113.9'],
    ['linklocal', 'fe80::1', '2001:DB8::1', '2001:db8::1'],
    ['2001:db8::/32', '2001:db8::5', '203.0.113.9', '203.0.113.9'],
    ['1', proxy, '[2001:db8::1]:443', '2001:db8::1'],
    ['1', proxy, '203.0.113.9:8080', '203.0.113.9'],
    ['1', proxy, 'fe80::1%eth0', 'fe80::1'],
    ['1', proxy, '::ffff:203.0.113.9', '203.0.113.9'],
    ['1', proxy, 'garbage', proxy],
    ['1', '::ffff:192.0.2.1', '', stranger],
  ])('TRUST_PROXY=%s, peer %s, X-Forwarded-For "%s" → %s', async (variable, peer, forwardedFor, expected) => {
    const forged = {
      'x-real-ip': '192.0.2.99',
      forwarded: 'for=192.0.2.98',
      'x-forwarded-host': 'evil.example',
    };
    expect(await clientIpOf(variable, peer, { ...forged, 'x-forwarded-for': forwardedFor })).toBe(expected);
  });

  it('the client IP is computed from all lines of X-Forwarded-For', async () => {
    const headers = { 'x-forwarded-for': ['198.51.100.7', '203.0.113.9'] };
    expect(await clientIpOf('2', proxy, headers)).toBe('198.51.100.7');
  });
});

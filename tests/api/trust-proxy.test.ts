import { isIP } from 'node:net';
import { findLine } from '@latchkey/support/black-box/request-lines';
import {
  areContainers,
  openShared,
  startServer,
  type WatchedServer,
} from '@latchkey/support/black-box/target';
import { describe, expect, it } from 'vitest';

// One of each kind of setting: `shared/src/net/client-ip.test.ts` tests the others.

const spoofed = '198.51.100.7, 203.0.113.9';
/** In the table: the address of this test as the server sees it. */
const peer = 'the peer';

/** TRUST_PROXY → X-Forwarded-For → client IP, for a peer on loopback or, where servers are containers, on their bridge. */
const table: [TRUST_PROXY: string, server: WatchedServer, [forwardedFor: string, clientIp: string][]][] = [
  [
    '',
    await openShared('plain'),
    [
      ['203.0.113.9', peer],
      [spoofed, peer],
    ],
  ],
  [
    '1',
    await openShared('rate-limited'),
    [
      [spoofed, '203.0.113.9'],
      ['203.0.113.9', '203.0.113.9'],
      ['[2001:db8::1]:443', '2001:db8::1'],
      ['unknown', peer],
      ['', peer],
    ],
  ],
  // No other test needs these two.
  [
    '2',
    await startServer({ TRUST_PROXY: '2' }),
    [
      [spoofed, '198.51.100.7'],
      ['203.0.113.9', peer],
      ['192.0.2.1, 198.51.100.7, 203.0.113.9', '198.51.100.7'],
    ],
  ],
  [
    'loopback',
    await startServer({ TRUST_PROXY: 'loopback' }),
    [
      [spoofed, areContainers ? peer : '203.0.113.9'],
      ['198.51.100.7, 203.0.113.9, ::1', areContainers ? peer : '203.0.113.9'],
      ['garbage', peer],
    ],
  ],
];

describe.each(table)('TRUST_PROXY=%s', (TRUST_PROXY, server, cases) => {
  const addressOf = (clientIp: string) => (clientIp === peer ? server.peer : clientIp);

  it.each(cases)(
    `with TRUST_PROXY=${TRUST_PROXY}, X-Forwarded-For "%s" gives the client address %s`,
    async (forwardedFor, clientIp) => {
      const headers = {
        'x-forwarded-for': forwardedFor,
        'x-real-ip': '192.0.2.99',
        forwarded: 'for=192.0.2.98',
      };
      const { requestId } = await server.client.get('/health', undefined, headers);
      const line = await findLine(server.process, requestId);
      expect(isIP(line.clientIp ?? '')).not.toBe(0);
      expect(line.clientIp).toBe(addressOf(clientIp));
    },
  );

  it(`with TRUST_PROXY=${TRUST_PROXY}, the audit has the same client address as the log`, async () => {
    const [forwardedFor, clientIp] = cases[0] ?? ['', peer];
    const headers = { 'x-forwarded-for': forwardedFor };
    const { client, adminApiKey: as } = server;
    const made = await client.call('POST', '/api/v1/content', { as, headers, json: { name: 'x' } });
    const { json } = await client.get(`/api/v1/audit?target=${made.json.content.id}`, as);
    expect(json.audit.find((row: { requestId: string }) => row.requestId === made.requestId).clientIp).toBe(
      addressOf(clientIp),
    );
  });
});

import { isIP } from 'node:net';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { readLines } from './request-lines.ts';
import { areContainers, type OwnServer, startServerToClose } from './target.ts';

const spoofed = '198.51.100.7, 203.0.113.9';
/** In the table: the address of this test as the server sees it. */
const peer = 'the peer';
const patience = { timeout: 20_000, interval: 50 };

/**
 * TRUST_PROXY → X-Forwarded-For → client IP, for a peer on loopback or, where servers are containers, on their bridge: one of each kind of
 * setting. All others are tested with the function that reads the header.
 */
const table: Record<string, [forwardedFor: string, clientIp: string][]> = {
  '': [
    ['203.0.113.9', peer],
    [spoofed, peer],
  ],
  loopback: [
    [spoofed, areContainers ? peer : '203.0.113.9'],
    ['198.51.100.7, 203.0.113.9, ::1', areContainers ? peer : '203.0.113.9'],
    ['garbage', peer],
  ],
  '2': [
    [spoofed, '198.51.100.7'],
    ['203.0.113.9', peer],
    ['192.0.2.1, 198.51.100.7, 203.0.113.9', '198.51.100.7'],
    ['198.51.100.7:8080, [2001:db8::1]:443', '198.51.100.7'],
    ['unknown, 203.0.113.9', peer],
  ],
};

describe.each(Object.keys(table))('TRUST_PROXY=%s', (TRUST_PROXY) => {
  let server: OwnServer;
  beforeAll(async () => {
    server = await startServerToClose({ TRUST_PROXY });
    return server.close;
  });
  const addressOf = (clientIp: string) => (clientIp === peer ? server.peer : clientIp);

  it.each(table[TRUST_PROXY] ?? [])(
    `with TRUST_PROXY=${TRUST_PROXY}, X-Forwarded-For "%s" gives the client address %s`,
    async (forwardedFor, clientIp) => {
      const headers = {
        'x-forwarded-for': forwardedFor,
        'x-real-ip': '192.0.2.99',
        forwarded: 'for=192.0.2.98',
      };
      const { requestId } = await server.client.get('/health', undefined, headers);
      const line = await vi.waitFor(() => {
        const found = readLines(server.process).find((candidate) => candidate.requestId === requestId);
        if (!found) throw new Error('no line yet');
        return found;
      }, patience);
      expect(isIP(line.clientIp ?? '')).not.toBe(0);
      expect(line.clientIp).toBe(addressOf(clientIp));
    },
  );

  it(`with TRUST_PROXY=${TRUST_PROXY}, the audit has the same client address as the log`, async () => {
    const [forwardedFor, clientIp] = table[TRUST_PROXY]?.[0] ?? ['', peer];
    const headers = { 'x-forwarded-for': forwardedFor };
    const { client, adminApiKey: admin } = server;
    const { requestId } = await client.call('POST', '/api/v1/content', {
      as: admin,
      headers,
      json: { name: 'x' },
    });
    const { json } = await client.get('/api/v1/audit', admin);
    expect(json.audit.find((row: { requestId: string }) => row.requestId === requestId).clientIp).toBe(
      addressOf(clientIp),
    );
  });
});

import { randomUUID } from 'node:crypto';
import { readLines } from '@latchkey/support/black-box/request-lines';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { describe, expect, it, vi } from 'vitest';
import { type Question, type Reply, valuesOf } from './ask-proxy.ts';
import { proxyKinds } from './configuration.ts';
import { listedOrigin, newAddress, startProxiedServer } from './proxied-server.ts';

// Each test sends hundreds of requests, one after the other.
vi.setConfig({ testTimeout: 90_000 });

/** The rates of `docs/reference/contract.md#rate-limits`. `burst` may pass beyond the rate. */
const rates = {
  keys: { perMinute: 60, burst: 20 },
  api: { perMinute: 30, burst: 0 },
  users: { perMinute: 10, burst: 0 },
};
type Rate = (typeof rates)[keyof typeof rates];

/**
 * The least number of requests that pass at once. For keys, nginx refills once a second and lets the burst pass at once.
 * HAProxy and Latchkey count by the minute.
 */
const atOnce = (rate: Rate) => (rate.burst === 0 ? rate.perMinute : rate.burst);
/** The highest number that passes: nginx lets one request pass in addition to the burst, and refills during the test. */
const atMost = (rate: Rate) => 2 * rate.perMinute + rate.burst;

describe.each(proxyKinds)('%s with its documented configuration', async (kind) => {
  const { ask, lineOf, server } = await startProxiedServer(kind);
  const token = () => `Bearer ${viewerToken(server.jwtSecret, unique('viewer'))}`;
  /** Behind Caddy, Latchkey counts. */
  const byLatchkey = kind === 'Caddy';

  /** Sends requests until one is refused, and checks how many passed. @returns the refusal */
  async function exhaust(rate: Rate, question: Question): Promise<Reply> {
    for (let n = 0; n <= atMost(rate); n++) {
      const reply = await ask(question);
      if (reply.status !== 429 && reply.status !== 503) continue;
      expect(n).toBeGreaterThanOrEqual(atOnce(rate));
      return reply;
    }
    throw new Error(`more than ${atMost(rate)} of ${question.path} went through`);
  }

  function checkRefusal(reply: Reply, status: number): void {
    expect(reply.status).toBe(byLatchkey ? 429 : status);
    expect(Number(valuesOf(reply, 'retry-after')[0])).toBeGreaterThan(0);
    expect(valuesOf(reply, 'content-type')[0]).toContain('application/problem+json');
    expect(JSON.parse(reply.bytes.toString()).status).toBe(reply.status);
    expect(valuesOf(reply, 'access-control-allow-origin')).toEqual(byLatchkey ? [listedOrigin] : []);
  }

  it(`${kind} refuses keys over the rate with a status that players retry, and serves other addresses`, async () => {
    const from = newAddress();
    const headers = { authorization: token(), origin: listedOrigin };
    checkRefusal(await exhaust(rates.keys, { path: '/keys/x', from, headers }), 503);
    const other = { authorization: token() };
    expect((await ask({ path: '/keys/x', from: newAddress(), headers: other })).status).toBe(200);
  });

  it(`${kind} counts neither preflights nor /health`, async () => {
    const from = newAddress();
    const preflight = { origin: listedOrigin, 'access-control-request-method': 'GET' };
    for (let n = 0; n < 100; n++) {
      const asked = await ask({ method: 'OPTIONS', path: '/keys/x', from, headers: preflight });
      const healthy = await ask({ path: '/health', from });
      expect([n, asked.status, healthy.status]).toEqual([n, 204, 200]);
    }
    expect((await ask({ path: '/keys/x', from, headers: { authorization: token() } })).status).toBe(200);
  });

  it(`${kind} refuses API calls over the rate with 429`, async () => {
    const headers = { authorization: `Bearer ${server.adminApiKey}`, origin: listedOrigin };
    const question = { path: '/api/v1/api-keys/current', from: newAddress(), headers };
    checkRefusal(await exhaust(rates.api, question), 429);
  });

  it(`${kind} refuses lease creation over the rate with 429, for that user alone`, async () => {
    const from = newAddress();
    const lease = (authorization: string) => ({
      method: 'POST',
      path: '/keys/leases',
      from,
      headers: { authorization, origin: listedOrigin, 'content-type': 'application/json' },
      body: JSON.stringify({ contentId: 'x' }),
    });
    checkRefusal(await exhaust(rates.users, lease(token())), 429);
    expect((await ask(lease(token()))).status).toBe(201);
  });

  it(`${kind} refuses renewals over the rate with 429, counted together with new leases`, async () => {
    const from = newAddress();
    const post = (path: string, authorization: string, body: object) => ({
      method: 'POST',
      path,
      from,
      headers: { authorization, origin: listedOrigin, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const own = token();
    const renewal = post('/keys/leases/renew', own, { leaseId: randomUUID() });
    checkRefusal(await exhaust(rates.users, renewal), 429);
    expect((await ask(post('/keys/leases', own, { contentId: 'x' }))).status).toBe(429);
    const release = post('/keys/leases/revoke', token(), { leaseId: randomUUID() });
    expect((await ask(release)).status).toBe(404);
  });

  it.skipIf(byLatchkey)(`${kind} refuses presign over the rate with 429, for that user alone`, async () => {
    const from = newAddress();
    const presign = (authorization: string) => ({
      method: 'POST',
      path: '/presign',
      from,
      headers: { authorization, origin: listedOrigin, 'content-type': 'application/json' },
      body: '{}',
    });
    checkRefusal(await exhaust(rates.users, presign(token())), 429);
    // Presign is off here, so Latchkey answers 404.
    expect((await ask(presign(token()))).status).toBe(404);
  });

  it.skipIf(byLatchkey)(`requests that ${kind} refuses do not reach Latchkey`, async () => {
    const from = newAddress();
    await exhaust(rates.keys, { path: '/keys/x', from, headers: { authorization: token() } });
    const id = unique('refused');
    const headers = { authorization: token(), 'x-request-id': id };
    // Many at once, so that it does not matter how many the proxy lets pass again in between.
    const count = rates.keys.perMinute + rates.keys.burst;
    const replies = await Promise.all(
      Array.from({ length: count }, () => ask({ path: '/keys/x', from, headers })),
    );
    const passed = replies.filter(({ status }) => status === 200).length;
    expect(passed).toBeLessThan(count);
    const after = await ask({ path: '/health', from });
    await lineOf(valuesOf(after, 'x-request-id')[0] ?? '');
    expect(readLines(server.process).filter(({ requestId }) => requestId === id)).toHaveLength(passed);
  });
});

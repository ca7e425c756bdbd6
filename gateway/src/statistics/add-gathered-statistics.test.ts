import type { RequestListener } from 'node:http';
import { createSystemClock } from '@latchkey/shared/clock';
import { createHost } from '@latchkey/shared/http';
import { createMetrics } from '@latchkey/shared/metrics';
import { ProcessStatistics } from '@latchkey/shared/statistics';
import { stopTime } from '@latchkey/shared/testing/stop-time';
import { createUpstream, type Upstream } from '@latchkey/shared/upstream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answersCome, startService } from '../forwarding.fixture.ts';
import { addGatheredStatistics } from './add-gathered-statistics.ts';

const clock = createSystemClock();
const secret = 'the internal secret of tests, 32 bytes or more';
const ends: (() => unknown)[] = [];
let time: ReturnType<typeof stopTime>;

beforeEach(() => {
  time = stopTime();
});

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function serve(listener: RequestListener): Promise<string> {
  const { url, close } = await startService(listener);
  ends.push(close);
  return url;
}

/** A service that has counted N key requests. */
function serveReport(count: number): Promise<string> {
  const statistics = new ProcessStatistics(clock);
  for (let n = 0; n < count; n++) statistics.countRequest('key', 200, 0.001);
  return serve((request, response) => {
    const known = request.headers['x-latchkey-secret'] === secret;
    response.writeHead(known ? 200 : 401, { 'content-type': 'application/json' });
    response.end(known ? JSON.stringify(statistics.report(0)) : '{}');
  });
}

/** Answers for auth as the test says, and has no report. */
async function start(auth: RequestListener, keyUrls: string[]) {
  const open = (...urls: string[]): Upstream => {
    const upstream = createUpstream({
      urls,
      lookup: async () => [],
      connections: 4,
      onFault: () => {},
    });
    ends.push(() => upstream.close());
    return upstream;
  };
  const metrics = createMetrics();
  const silent = () => {};
  const app = createHost({
    randomId: () => 'request',
    clientIpOf: () => '127.0.0.1',
    requestLog: null,
    operatorLog: { info: silent, warn: silent, error: silent },
    metrics,
  });
  ends.push(() => app.close());
  addGatheredStatistics(app, {
    clock,
    statistics: metrics.statistics,
    report: async () => ({ ready: true, dependencies: {} }),
    self: { service: 'gateway', address: 'front-1' },
    upstreams: {
      auth: open(await serve(auth)),
      content: open(await serveReport(0)),
      leases: open(await serveReport(0)),
      'key-derivation': open(...keyUrls),
    },
    secret,
    onFault: silent,
  });
  return (query = '', headers = {}) => app.inject({ url: `/api/v1/statistics${query}`, headers });
}

const allow: RequestListener = (request, response) => {
  const isReport = request.url?.startsWith('/internal');
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(isReport ? new ProcessStatistics(clock).report(0) : { warnings: [] }));
};

describe('the gathered statistics', () => {
  it('the statistics include every replica that answers, and name the replicas that do not', async () => {
    let noteAsked = () => {};
    const isAsked = new Promise<void>((resolve) => (noteAsked = resolve));
    const silent = await serve(() => noteAsked());
    const ask = await start(allow, [
      await serveReport(3),
      await serveReport(4),
      'http://127.0.0.1:9',
      silent,
    ]);
    // Of auth whether it may be asked; then the reports of the three other services, of two replicas of the last, and auth's.
    const othersAnswered = answersCome(6);
    const gathered = ask();
    await Promise.all([othersAnswered, isAsked]);
    time.advance(500);
    const { statistics } = (await gathered).json();
    expect(statistics.keyRequests).toMatchObject({ processes: 2, lastHour: { count: 7 } });
    expect(statistics.replicas).toHaveLength(2);
    expect(statistics.missing).toEqual(
      [new URL(silent).host, '127.0.0.1:9']
        .sort((a, b) => a.localeCompare(b))
        .map((address) => ({ service: 'key-derivation', address })),
    );
  });

  it('a process with a malformed report is left out of the statistics', async () => {
    const liar = await serve((_, response) => response.end('{"keyRequests":"many"}'));
    const ask = await start(allow, [liar]);
    const { statistics } = (await ask()).json();
    expect(statistics.missing).toHaveLength(1);
    expect(statistics.keyRequests).toMatchObject({ processes: 0, lastHour: { count: 0, p50Ms: null } });
  });

  it('the statistics forward a refusal of the auth service, and gather nothing', async () => {
    let asked = 0;
    const replica = await serve((_, response) => {
      asked++;
      response.end('{}');
    });
    const refuse: RequestListener = (request, response) => {
      const seen = { authorization: request.headers.authorization, url: request.url };
      response.writeHead(403, { 'content-type': 'application/problem+json', 'www-authenticate': 'Bearer' });
      response.end(JSON.stringify(seen));
    };
    const ask = await start(refuse, [replica]);
    const answer = await ask('?steps=7', { authorization: 'Bearer lk_x' });
    expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([403, 'Bearer']);
    expect(answer.json()).toEqual({ authorization: 'Bearer lk_x', url: '/api/v1/statistics?steps=7' });
    expect(asked).toBe(0);
  });

  it('the statistics return 503 while no auth service answers', async () => {
    const ask = await start((request) => request.socket.destroy(), [await serveReport(1)]);
    expect((await ask()).statusCode).toBe(503);
  });
});

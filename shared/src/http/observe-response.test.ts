import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { keyUnknown } from '../auth/index.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { createResponseObserver } from './observe-response.ts';

/** Observes requests for a key that got 503. @returns the exposed metrics and the counts of the dashboard */
async function observe503(...causes: string[]) {
  const metrics = createMetrics(createManualClock());
  const observe = createResponseObserver(null, metrics);
  for (const cause of causes)
    observe(
      {
        id: 'r',
        raw: { method: 'GET', url: '/keys/film', headers: {} },
        answeredRoute: '/keys/*',
        principal: null,
        errorCode: 'DEPENDENCY_UNAVAILABLE',
        failure: { cause, upstream: null, tries: null },
        clientIp: '127.0.0.1',
      } as FastifyRequest,
      { raw: { headersSent: true, statusCode: 503 } } as FastifyReply,
      1,
    );
  const [counts] = metrics.statistics.report(0).keyRequests;
  return { text: await metrics.registry.metrics(), counts };
}
const outOfReach = 'the key set of its issuer is out of reach';

test('a 503 for a token whose key is unknown is counted apart, on the dashboard as a refusal, and in the same series of durations as any other 503', async () => {
  const { text, counts } = await observe503(keyUnknown, outOfReach, keyUnknown);
  expect(text).toContain('latchkey_unknown_token_keys_total{route="/keys/*"} 2\n');
  expect(text.match(/_count\{route="\/keys\/\*",method="GET",status="503"\} .*/g)).toEqual([
    '_count{route="/keys/*",method="GET",status="503"} 3',
  ]);
  expect(counts).toMatchObject({ count: 3, clientErrors: 2, serverErrors: 1 });
});

import { makeScene } from '@latchkey/support/black-box/server-actions';
import { openTarget } from '@latchkey/support/black-box/target';
import { expect, it } from 'vitest';

const target = await openTarget();
const { client } = target;
const path = '/api/v1/player-metrics';
/** The object of `docs/reference/contract.md#player-metrics`. */
const metrics = {
  timeToFirstFrame: 812.5,
  avgDecryptTime: 1.25,
  avgFragLoadTime: 140,
  avgKeyFetchTime: 33.1,
  keyFetchCount: 1,
  qualitySwitches: 2,
  fragmentsLoaded: 30,
  stallCount: 0,
};

it('the result of getMetrics() is accepted, with the content and without', async () => {
  const { token, contentId } = await makeScene(target);
  for (const json of [metrics, { ...metrics, contentId }]) {
    const answer = await client.post(path, token, json);
    expect([answer.status, answer.bytes.length]).toEqual([204, 0]);
  }
});

it.each([
  { ...metrics, extra: 1 },
  { ...metrics, stallCount: '0' },
  { ...metrics, stallCount: -1 },
  { ...metrics, keyFetchCount: 1.5 },
  { ...metrics, avgDecryptTime: 1e300 },
  { ...metrics, avgDecryptTime: null },
  { ...metrics, contentId: 'not an id' },
  {},
  [],
])('the player metrics %j get 400', async (json) => {
  const { token } = await makeScene(target);
  expect((await client.post(path, token, json)).status).toBe(400);
});

it('player metrics with a number that overflows to infinity get 400', async () => {
  const { token } = await makeScene(target);
  const body = JSON.stringify(metrics).replace('812.5', '1e999');
  const headers = { 'content-type': 'application/json' };
  expect((await client.call('POST', path, { as: token, headers, body })).status).toBe(400);
});

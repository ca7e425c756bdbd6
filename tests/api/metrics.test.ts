import { eventually } from '@latchkey/support/black-box/eventually';
import { askForKey, createLease, makeScene, revokeLeases } from '@latchkey/support/black-box/server-actions';
import { startSingleNode } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';

// Its own, because every request and lease is counted.
const server = await startSingleNode();
const { client } = server;
const metricsUrl = /metrics on (http:\/\/127\.0\.0\.1:\d+\/metrics)/.exec(server.process.stderr())?.[1] ?? '';

async function scrape(): Promise<string> {
  const response = await fetch(metricsUrl);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    expect.stringMatching(/^text\/plain/),
  ]);
  return response.text();
}

/** The value of the sample whose line begins with this; 0 if it does not exist. */
function sample(text: string, start: string): number {
  const line = text.split('\n').find((candidate) => candidate.startsWith(start));
  return line === undefined ? 0 : Number(line.slice(line.lastIndexOf(' ') + 1));
}

it('the metrics have the duration of requests by route pattern, method and status, from 0.5 ms on', async () => {
  const scene = await makeScene(server);
  await askForKey(server, scene);
  await eventually(async () => {
    const lines = (await scrape())
      .split('\n')
      .filter((line) => line.startsWith('http_server_request_duration_seconds_bucket'));
    const keys = lines.filter(
      (line) => /\/keys\/[:{]contentId/.test(line) && /"GET"/.test(line) && /"200"/.test(line),
    );
    expect(keys.some((line) => line.includes('le="0.0005"'))).toBe(true);
    expect(keys.some((line) => line.includes('le="+Inf"'))).toBe(true);
  });
});

it('the metrics count key requests by outcome', async () => {
  const scene = await makeScene(server);
  const before = await scrape();
  await askForKey(server, scene);
  await askForKey(server, scene, 'nonsense');
  await client.get(`/keys/${scene.contentId}`);
  // A refusal is counted once its answer has been sent.
  await eventually(async () => {
    const after = await scrape();
    for (const outcome of ['served', 'LEASE_UNKNOWN', 'UNAUTHENTICATED']) {
      const name = `latchkey_key_requests_total{outcome="${outcome}",service="single-node"}`;
      expect([outcome, sample(after, name) - sample(before, name)]).toEqual([outcome, 1]);
    }
  });
});

it('the metrics have the number of active leases', async () => {
  const scene = await makeScene(server);
  const leaseId = await createLease(server, scene);
  const active = async () => sample(await scrape(), 'latchkey_active_leases');
  await eventually(async () => expect(await active()).toBe(1));
  await revokeLeases(server, { leaseId });
  await eventually(async () => expect(await active()).toBe(0));
});

it('the metrics have the delay of revocations, cache hits, upstream errors and figures of players', async () => {
  const scene = await makeScene(server);
  await revokeLeases(server, { viewerId: scene.viewerId });
  const text = await scrape();
  for (const name of ['revocation_delay_seconds', 'cache_hits', 'upstream_errors', 'player_'])
    expect([name, text.includes(`# HELP latchkey_${name}`)]).toEqual([name, true]);
  await eventually(async () => {
    expect(sample(await scrape(), 'latchkey_revocation_delay_seconds_count')).toBeGreaterThan(0);
  });
});

it('the metrics have what players report, in seconds, and nothing of a report that is refused', async () => {
  const { token } = await makeScene(server);
  const zero = {
    avgFragLoadTime: 0,
    avgKeyFetchTime: 0,
    qualitySwitches: 0,
    fragmentsLoaded: 0,
    stallCount: 0,
  };
  const report = { ...zero, timeToFirstFrame: 850, avgDecryptTime: 1.5, keyFetchCount: 3 };
  const statuses = [];
  for (const given of [{}, { timeToFirstFrame: null }, { stallCount: -1 }])
    statuses.push((await client.post('/api/v1/player-metrics', token, { ...report, ...given })).status);
  expect(statuses).toEqual([204, 204, 400]);
  await eventually(async () => {
    const text = await scrape();
    const figures = ['time_to_first_frame_seconds', 'decrypt_seconds', 'key_fetches', 'stalls'].map((name) =>
      ['sum', 'count'].map((of) => sample(text, `latchkey_player_${name}_${of}`)),
    );
    expect(figures).toEqual([
      [0.85, 1],
      [0.003, 2],
      [6, 2],
      [0, 2],
    ]);
  });
});

it('no label of the metrics has a content, a viewer or text of a stranger', async () => {
  const scene = await makeScene(server);
  const strange = unique('strange');
  await askForKey(server, scene, await createLease(server, scene));
  await client.get(`/${strange}/nowhere`);
  await client.get(`/keys/${strange}`, viewerToken(server.jwtSecret, scene.viewerId));
  const text = await scrape();
  for (const id of [scene.contentId, scene.viewerId, strange]) expect(text).not.toContain(id);
});

it('the metrics are not served on the port of players', async () => {
  expect((await client.get('/metrics')).status).toBe(404);
});

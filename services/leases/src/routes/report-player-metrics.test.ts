import { beforeEach, describe, expect, it } from 'vitest';
import { type LeaseFixture, openLeasesOnSqlite, rawKeys } from '../lease.fixture.ts';

const report = {
  timeToFirstFrame: 850,
  avgDecryptTime: 1.5,
  avgFragLoadTime: 120,
  avgKeyFetchTime: 40,
  keyFetchCount: 3,
  qualitySwitches: 0,
  fragmentsLoaded: 60,
  stallCount: 1,
};

let leases: LeaseFixture;
beforeEach(async () => {
  leases = await openLeasesOnSqlite();
});

const send = (body: object, credential: string | null = leases.tokenOf('ann')) =>
  leases.ask('POST', '/api/v1/player-metrics', credential, body);
const metrics = () => leases.metrics.registry.metrics();

describe('POST /api/v1/player-metrics', () => {
  it('a report of a player returns 204 and is counted in the histograms, in seconds, without names', async () => {
    expect(await send({ ...report, contentId: 'film' })).toMatchObject({ status: 204, body: '' });
    const text = await metrics();
    expect(text).toContain('latchkey_player_time_to_first_frame_seconds_sum 0.85');
    expect(text).toContain('latchkey_player_decrypt_seconds_sum 0.0015');
    expect(text).toContain('latchkey_player_key_fetches_sum 3');
    expect(text).toContain('latchkey_player_stalls_count 1');
    expect(text).not.toMatch(/ann|film/);
  });

  it('a report of a player without a first frame is not counted in its histogram', async () => {
    expect((await send({ ...report, timeToFirstFrame: null })).status).toBe(204);
    const text = await metrics();
    expect(text).toContain('latchkey_player_time_to_first_frame_seconds_count 0');
    expect(text).toContain('latchkey_player_stalls_count 1');
  });

  it.each([
    [{ ...report, stallCount: -1 }],
    [{ ...report, keyFetchCount: 1.5 }],
    [{ ...report, avgDecryptTime: '1' }],
    [{ ...report, avgDecryptTime: 1e300 }],
    [{ ...report, stallCount: undefined }],
    [{ ...report, contentId: 'a/b' }],
    [{ ...report, extra: 1 }],
  ])('a report of a player with %o returns 400 and counts nothing', async (body) => {
    expect((await send(body)).status).toBe(400);
    expect(await metrics()).toContain('latchkey_player_stalls_count 0');
  });

  it('a report of a player with a number that overflows returns 400', async () => {
    const { statusCode } = await leases.app.inject({
      method: 'POST',
      url: '/api/v1/player-metrics',
      headers: { authorization: `Bearer ${leases.tokenOf('ann')}`, 'content-type': 'application/json' },
      payload: JSON.stringify(report).replace('850', '1e999'),
    });
    expect(statusCode).toBe(400);
  });

  it('a report of a player returns 401 without a credential and 403 to an API key', async () => {
    expect((await send(report, null)).status).toBe(401);
    expect((await send(report, rawKeys.admin)).body.code).toBe('INSUFFICIENT_SCOPE');
  });
});

import { describe, expect, it } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { DurationCounts } from './duration-counts.ts';
import { parseProcessReport } from './process-report.ts';
import { ProcessStatistics } from './process-statistics.ts';
import { kindOfRequest } from './request-counts.ts';
import { stepMs, stepsKept } from './step-ring.ts';

const start = Date.UTC(2026, 0, 1);

describe('counted durations', () => {
  it('counted durations give quantiles that are exact to 5 %', () => {
    const counts = new DurationCounts();
    for (let ms = 1; ms <= 1_000; ms++) counts.add(ms);
    for (const [share, exact] of [
      [0.5, 500],
      [0.95, 950],
      [0.99, 990],
    ] as const) {
      expect(Math.abs((counts.quantile(share) ?? 0) / exact - 1)).toBeLessThan(0.05);
    }
  });

  it('quantiles without counts are null, and the nearest bucket takes durations out of range', () => {
    const counts = new DurationCounts();
    expect(counts.quantile(0.5)).toBeNull();
    for (const ms of [0, -1, Number.NaN, 1e12]) counts.add(ms);
    expect(counts.sparse().reduce((sum, [, count]) => sum + count, 0)).toBe(4);
  });

  it('counted durations of two processes add up', () => {
    const [one, two] = [new DurationCounts(), new DurationCounts()];
    one.add(1, 99);
    two.add(100);
    one.merge(two.sparse());
    expect([one.quantile(0.5), one.quantile(0.99), one.quantile(1)].map((ms) => Math.round(ms ?? 0))).toEqual(
      [1, 1, 98],
    );
  });
});

describe('the statistics of a process', () => {
  it('requests are counted by step, key requests separately, and health checks not at all', () => {
    const clock = createManualClock(start);
    const statistics = new ProcessStatistics(clock);
    statistics.countRequest('key', 200, 0.001);
    statistics.countRequest('key', 403, 0.001);
    statistics.countRequest('probe', 503, 0.001);
    clock.advance(3 * stepMs);
    for (const status of [200, 499, 503]) statistics.countRequest('other', status, 0.1);
    const { keyRequests, otherRequests } = statistics.report(0);
    expect(keyRequests).toMatchObject([{ at: start, count: 2, clientErrors: 1, serverErrors: 0 }]);
    expect(otherRequests).toMatchObject([
      { at: start + 3 * stepMs, count: 3, clientErrors: 0, serverErrors: 1 },
    ]);
  });

  it('refusals of the last hour are counted by code, the most frequent first, and failures are not', () => {
    const clock = createManualClock(start);
    const statistics = new ProcessStatistics(clock);
    const refuse = (code: string, status = 403) =>
      statistics.noteRefusal({
        ...{ kind: 'key', status, code, viewerId: null, apiKeyId: null, contentId: null, epoch: null },
        ...{ leaseId: null, clientIp: '192.0.2.1', requestId: 'r' },
      });
    refuse('INVALID_TOKEN', 401);
    clock.advance(3_600_000);
    refuse('LEASE_EXPIRED');
    clock.advance(stepMs);
    for (let times = 0; times < 2; times++) refuse('TOKEN_REVOKED');
    refuse('DEPENDENCY_UNAVAILABLE', 503);
    expect(statistics.report(clock.now() - stepMs).refusedCodes).toEqual([
      { code: 'TOKEN_REVOKED', count: 2 },
      { code: 'LEASE_EXPIRED', count: 1 },
    ]);
  });

  it('leases that players end are counted once each, and push no act of management out', () => {
    const clock = createManualClock(start);
    const statistics = new ProcessStatistics(clock);
    const none = { viewerId: null, contentId: null };
    statistics.noteChange(1, start, { kind: 'leases', leaseId: null, viewerId: 'ada', contentId: null });
    for (let number = 2; number < 202; number++)
      for (let times = 0; times < 2; times++)
        statistics.noteChange(number, start, { kind: 'leases', leaseId: `l${number}`, ...none });
    const { changes, endedLeases } = statistics.report(0);
    expect(changes).toMatchObject([{ number: 1, viewerId: 'ada' }]);
    expect(endedLeases).toEqual([{ at: start, count: 200 }]);
  });

  it('the statistics of a process cover one hour', () => {
    const clock = createManualClock(start);
    const statistics = new ProcessStatistics(clock);
    for (let step = 0; step < stepsKept + 50; step++) {
      statistics.countRequest('key', 200, 0.001);
      clock.advance(stepMs);
    }
    expect(statistics.report(0).keyRequests).toHaveLength(stepsKept);
    expect(statistics.report(clock.now() - 5 * stepMs).keyRequests).toHaveLength(5);
  });

  it('the statistics continue in the latest step while the wall clock is set back', () => {
    const clock = createManualClock(start);
    const statistics = new ProcessStatistics(clock);
    statistics.countRequest('key', 200, 0.001);
    clock.setWall(start - 3_600_000);
    statistics.countRequest('key', 200, 0.001);
    expect(statistics.report(0).keyRequests).toMatchObject([{ at: start, count: 2 }]);
  });

  it('the statistics keep the latest changes, each as first received, and no hash of an API key', () => {
    const clock = createManualClock(start);
    const statistics = new ProcessStatistics(clock);
    clock.advance(40);
    const change = { kind: 'leases', leaseId: null, viewerId: 'v', contentId: null } as const;
    statistics.noteChange(1, start, change);
    clock.advance(1_000);
    statistics.noteChange(1, start, change);
    statistics.noteChange(2, start, { kind: 'api-key', keyHash: 'secret-hash' });
    expect(statistics.report(0).changes).toMatchObject([
      { number: 1, delayMs: 40, viewerId: 'v' },
      { number: 2, delayMs: 1_040, kind: 'api-key' },
    ]);
    expect(JSON.stringify(statistics.report(0))).not.toContain('secret-hash');
    for (let number = 3; number < 200; number++) statistics.noteChange(number, start, change);
    expect(statistics.report(0).changes).toHaveLength(50);
  });

  it('the delay of a change is measured once, also of one that is pulled after a later one was pushed', () => {
    const clock = createManualClock(start);
    const statistics = new ProcessStatistics(clock);
    const change = { kind: 'content', contentId: 'film' } as const;
    expect(statistics.noteChange(2, start, change)).toBe(0);
    clock.advance(900);
    expect(statistics.noteChange(1, start, change)).toBe(900);
    expect(statistics.noteChange(2, start, change)).toBeNull();
    statistics.forgetNumbers();
    expect(statistics.noteChange(1, start, change)).toBe(900);
  });

  it('a clock that runs behind the clock of the database gives a delay of 0, and old changes need no memory', () => {
    const clock = createManualClock(start);
    const statistics = new ProcessStatistics(clock);
    const change = { kind: 'content', contentId: 'film' } as const;
    for (let number = 1; number <= 1_001; number++)
      expect(statistics.noteChange(number, start + 5_000, change)).toBe(0);
    expect(statistics.noteChange(1, start, change)).toBe(0);
  });

  it('a report of statistics is readable by other processes, and a malformed one is refused', () => {
    const statistics = new ProcessStatistics(createManualClock(start));
    statistics.countRequest('key', 200, 0.001);
    statistics.countPlayerReport(900, 2);
    statistics.countPlayerReport(null, 0);
    statistics.noteActiveLeases(7);
    const report = statistics.report(0);
    expect(parseProcessReport(JSON.parse(JSON.stringify(report)))).toEqual(report);
    expect(report.playerReports).toMatchObject([{ reports: 2, stalls: 2 }]);
    expect(report.activeLeases).toEqual([{ at: start, count: 7 }]);
    for (const wrong of [null, {}, { ...report, activeLeases: [{ at: 'now', count: 1 }] }])
      expect(() => parseProcessReport(wrong)).toThrow(TypeError);
  });
});

it.each([
  ['/keys/:contentId', 'GET', 'key'],
  ['/keys/:contentId/:epoch', 'HEAD', 'key'],
  ['/keys/*', 'GET', 'key'],
  ['/keys/:contentId', 'OPTIONS', 'other'],
  ['/keys/leases', 'POST', 'lease'],
  ['/keys/leases/renew', 'POST', 'lease'],
  ['/api/v1/leases', 'GET', 'other'],
  ['/licenses/clearkey/:contentId', 'POST', 'key'],
  ['/licenses/clearkey/:contentId', 'GET', 'other'],
  ['/ready', 'GET', 'probe'],
])('%s %s counts as %s', (route, method, kind) => expect(kindOfRequest(route, method)).toBe(kind));

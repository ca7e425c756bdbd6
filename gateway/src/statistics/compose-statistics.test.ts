import { ProcessStatistics, stepMs } from '@latchkey/shared/statistics';
import { createManualClock } from '@latchkey/shared/testing';
import { describe, expect, it } from 'vitest';
import { beginningOf, composeStatistics, type Gathered } from './compose-statistics.ts';

const start = Date.UTC(2026, 0, 1);
const change = { kind: 'leases', leaseId: null, viewerId: 'ada', contentId: 'film' } as const;

/** A gateway and three replicas on one clock. */
function stage() {
  const clock = createManualClock(start);
  const [gateway, one, two, late] = [0, 1, 2, 3].map(() => new ProcessStatistics(clock)) as [
    ProcessStatistics,
    ProcessStatistics,
    ProcessStatistics,
    ProcessStatistics,
  ];
  const compose = (steps = 360, fields: Partial<Gathered> = {}) => {
    const since = beginningOf(clock.now());
    const replicas = Object.entries({ one, two }).map(([name, of]) => ({ name, report: of.report(since) }));
    const ready = { ready: true, dependencies: {} };
    const gathered = {
      gateway: gateway.report(since),
      replicas,
      leases: [],
      processes: [],
      warnings: [],
      missing: [],
      ready,
      database: null,
    };
    return composeStatistics({ ...gathered, ...fields }, { steps }, clock.now());
  };
  return { clock, gateway, one, two, late, compose };
}

describe('the requests', () => {
  it('the requests of all replicas are added up step by step, steps without requests included', () => {
    const { clock, one, two, compose } = stage();
    for (let n = 0; n < 30; n++) one.countRequest('key', 200, 0.002);
    for (let n = 0; n < 10; n++) two.countRequest('key', 503, 0.2);
    clock.advance(2 * stepMs + 5_000);
    const { source, processes, series, lastHour } = compose().keyRequests;
    expect([source, processes]).toEqual(['key-derivation', 2]);
    expect(series.map(({ count, perSecond }) => [count, perSecond])).toEqual([
      [40, 4],
      [0, 0],
      [0, 0],
    ]);
    expect(series[1]).toMatchObject({ p50Ms: null, clientErrorShare: null, serverErrorShare: null });
    expect(lastHour).toMatchObject({
      count: 40,
      perSecond: 0.01,
      serverErrorShare: 0.25,
      clientErrorShare: 0,
    });
    expect(lastHour.p50Ms).toBeCloseTo(2, 0);
    expect(Math.abs((lastHour.p99Ms ?? 0) - 200)).toBeLessThan(10);
  });

  it('the requests of the last minute include none that is older', () => {
    const { clock, one, compose } = stage();
    one.countRequest('key', 200, 0.001);
    clock.advance(120_000);
    one.countRequest('key', 200, 0.001);
    clock.advance(5_000);
    const { lastMinute, lastHour } = compose().keyRequests;
    expect([lastMinute.count, lastHour.count]).toEqual([1, 2]);
    expect(lastMinute.perSecond).toBeCloseTo(1 / 60, 2);
  });

  it('a steady load is shown at its true rate at any time within a step', () => {
    const { clock, one, compose } = stage();
    for (let tenth = 0; tenth < 1_200; tenth++) {
      clock.advance(100);
      one.countRequest('key', 200, 0.001);
      one.countRequest('key', 200, 0.001);
      if (clock.now() - start < 70_000) continue;
      expect(Math.abs(compose(1).keyRequests.lastMinute.perSecond - 20)).toBeLessThan(0.05);
    }
  });

  it('requests right after the start are not shown as a flood', () => {
    const { clock, one, compose } = stage();
    clock.advance(1_550);
    for (let n = 0; n < 40; n++) one.countRequest('key', 200, 0.001);
    const { perSecond } = compose().keyRequests.lastMinute;
    expect(perSecond).toBeGreaterThan(40 / 61);
    expect(perSecond).toBeLessThan(40 / 50);
  });

  it('the refused share of key and lease requests does not depend on how many dashboards are open', () => {
    const { clock, gateway, compose } = stage();
    for (let second = 0; second < 60; second++) {
      for (let n = 0; n < 10; n++) gateway.countRequest('key', n === 0 ? 403 : 200, 0.001);
      // Four dashboards, each with some calls a second.
      for (let n = 0; n < 12; n++) gateway.countRequest('other', 200, 0.001);
      clock.advance(1_000);
    }
    const { lastMinute, lastHour } = compose().playbackRequests;
    expect(lastMinute).toMatchObject({ count: 600, perSecond: 10, clientErrorShare: 0.1 });
    expect(lastHour).toMatchObject({ count: 600, clientErrorShare: 0.1 });
    expect(compose().requests.lastHour.count).toBe(1_320);
  });

  it('the requests of all kinds that the gateway answered are shown separately', () => {
    const { gateway, one, compose } = stage();
    one.countRequest('key', 200, 0.001);
    gateway.countRequest('key', 503, 0.001);
    gateway.countRequest('other', 200, 0.001);
    const { requests, keyRequests } = compose();
    expect(requests).toMatchObject({ source: 'gateway', processes: 1, lastHour: { count: 2 } });
    expect(keyRequests.lastHour).toMatchObject({ count: 1, serverErrorShare: 0 });
  });
});

describe('the changes', () => {
  it('the changes show how soon each replica applied them, newest first', () => {
    const { clock, one, two, compose } = stage();
    clock.advance(1_000);
    one.noteChange(1, start + 1_000, change);
    clock.advance(30);
    two.noteChange(1, start + 1_000, change);
    one.noteChange(2, start + 1_030, change);
    const { changes } = compose();
    expect(changes).toMatchObject([
      { number: 2, reached: [{ replica: 'one', delayMs: 0 }], pending: ['two'], slowestMs: 0 },
      {
        number: 1,
        viewerId: 'ada',
        slowestMs: 30,
        pending: [],
        reached: [
          { replica: 'one', delayMs: 0 },
          { replica: 'two', delayMs: 30 },
        ],
      },
    ]);
  });

  it('a change is not pending at a replica that started later', () => {
    const { clock, one, compose } = stage();
    clock.advance(1_000);
    one.noteChange(1, start + 1_000, change);
    clock.advance(1_000);
    const late = { name: 'late', report: new ProcessStatistics(clock).report(0) };
    const { changes } = compose(1, { replicas: [{ name: 'one', report: one.report(0) }, late] });
    expect(changes).toMatchObject([{ number: 1, pending: [] }]);
  });
});

describe('the rest', () => {
  it('active leases are counted once, whichever process counted them, and reports of players are added up', () => {
    const { clock, one, two, compose } = stage();
    one.noteActiveLeases(5);
    two.noteActiveLeases(5);
    one.countPlayerReport(800, 1);
    two.countPlayerReport(1_200, 2);
    clock.advance(stepMs);
    two.noteActiveLeases(7);
    const { activeLeases, player } = compose(360, { leases: [one.report(0), two.report(0)] });
    expect(activeLeases).toMatchObject({ count: 7, series: [{ count: 5 }, { count: 7 }] });
    expect(player.lastHour).toMatchObject({ reports: 2, stallsPerReport: 1.5 });
    expect(player.series).toHaveLength(1);
  });

  it('each warning is shown once, however many processes send it', () => {
    const warning = { code: 'X', severity: 'notice', title: 'x', detail: 'x', documentation: 'x' } as const;
    const { compose } = stage();
    expect(compose(1, { warnings: [warning, { ...warning }] }).warnings).toEqual([warning]);
  });

  it('the statistics of a single node name its one process "single node"', () => {
    const { compose } = stage();
    expect(compose(1, { replicas: null })).toMatchObject({
      keyRequests: { source: 'gateway', processes: 1 },
      replicas: [{ replica: 'single node' }],
    });
  });
});

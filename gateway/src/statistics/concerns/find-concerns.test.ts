import { describe, expect, it } from 'vitest';
import type { RequestFigures } from '../statistics-schema.ts';
import { findConcerns, type Judged } from './find-concerns.ts';

const at = '2026-01-31T12:00:00.000Z';
const quiet: RequestFigures = {
  count: 1_000,
  perSecond: 16,
  p50Ms: 1,
  p95Ms: 3,
  p99Ms: 9,
  clientErrorShare: 0.01,
  serverErrorShare: 0,
};
const series = (figures: Partial<RequestFigures> = {}) => ({
  lastMinute: { ...quiet, ...figures },
  lastHour: { ...quiet, ...figures },
  source: 'gateway' as const,
  processes: 1,
  series: [],
});
const calm: Judged = {
  at,
  stepSeconds: 10,
  keyRequests: series(),
  playbackRequests: series(),
  requests: series(),
  refusedCodes: [],
  activeLeases: { count: 0, countedAt: null, series: [] },
  endedLeases: { lastHour: 0 },
  processes: [],
  refusals: [],
  player: {
    lastHour: { reports: 100, firstFrameP50Ms: 500, firstFrameP95Ms: 900, stallsPerReport: 0 },
    series: [],
  },
  changes: [],
  replicas: [],
  ready: true,
  dependencies: { database: { status: 'up' } },
  warnings: [],
  missing: [],
};
const change = {
  number: 1,
  at: '2026-01-31T11:59:00.000Z',
  kind: 'leases' as const,
  leaseId: null,
  viewerId: 'viewer',
  contentId: null,
  slowestMs: 20,
  reached: [{ replica: 'a', delayMs: 20 }],
  pending: [],
};
const found = (part: Partial<Judged>) =>
  findConcerns({ ...calm, ...part }).map(({ severity, title }) => `${severity}: ${title}`);

it('a healthy server has no problems', () => {
  expect(found({ changes: [change] })).toEqual([]);
});

describe('problems', () => {
  it.each<[Partial<Judged>, string]>([
    [{ keyRequests: series({ p95Ms: 101 }) }, 'warning: Key requests take 101 ms'],
    [{ keyRequests: series({ p95Ms: 501 }) }, 'bad: Key requests take 501 ms'],
    [{ requests: series({ serverErrorShare: 0.0011 }) }, 'bad: 0.11 % of requests failed in the last hour'],
    [
      { playbackRequests: series({ clientErrorShare: 0.051 }) },
      'warning: 5.1 % of key and lease requests were refused in the last hour',
    ],
    [
      { player: { ...calm.player, lastHour: { ...calm.player.lastHour, firstFrameP95Ms: 2_100 } } },
      'warning: Viewers wait 2.1 s for the first frame',
    ],
    [{ changes: [{ ...change, pending: ['b'] }] }, 'bad: b has not confirmed a revocation'],
    [{ changes: [{ ...change, slowestMs: 1_200 }] }, 'warning: A change took 1.2 s to reach every replica'],
    [{ dependencies: { cache: { status: 'down' } } }, 'warning: The cache is down'],
    [{ dependencies: { bus: { status: 'down' } } }, 'warning: The bus is down'],
    [{ dependencies: { database: { status: 'down' } }, ready: false }, 'bad: The database is down'],
    // Without these the gateway is still ready for key requests.
    [{ dependencies: { auth: { status: 'down' } } }, 'bad: The auth service is down'],
    [{ dependencies: { content: { status: 'down' } } }, 'bad: The content service is down'],
    [{ dependencies: { leases: { status: 'down' } } }, 'bad: The lease service is down'],
    [{ missing: [{ service: 'leases', address: 'a:1' }] }, 'warning: No figures from leases (a:1)'],
  ])('a problem is reported with its severity and title (case %#)', (part, problem) =>
    expect(found(part)).toEqual([problem]),
  );

  it('configuration warnings are problems and notices are not; the worst problem comes first', () => {
    const warning = {
      code: 'X',
      severity: 'warning' as const,
      title: 'Open',
      detail: 'Close it.',
      documentation: '',
    };
    const warnings = [warning, { ...warning, code: 'Y', severity: 'notice' as const, title: 'Odd' }];
    expect(found({ warnings, requests: series({ serverErrorShare: 1 }) })).toEqual([
      'bad: 100 % of requests failed in the last hour',
      'warning: Open',
    ]);
  });

  it('shares and durations of a few requests are not problems', () => {
    const few = { count: 4, p95Ms: 900, clientErrorShare: 0.5 };
    expect(found({ keyRequests: series(few), requests: series(few) })).toEqual([]);
  });

  it('refusals during setup are not problems: a share needs a hundred requests', () => {
    const first = { count: 59, clientErrorShare: 0.1 };
    expect(found({ playbackRequests: series(first) })).toEqual([]);
    expect(found({ playbackRequests: series({ ...first, count: 100 }) })).toHaveLength(1);
  });

  it('the problem of refused requests names the code that most of them have, with its share', () => {
    const refusedCodes = [
      { code: 'LEASE_REVOKED', count: 60 },
      { code: 'INVALID_TOKEN', count: 20 },
    ];
    const refused = { ...calm, refusedCodes, playbackRequests: series({ clientErrorShare: 0.08 }) };
    expect(findConcerns(refused)[0]?.advice).toBe(
      'These are 4xx answers; the alert is 5 %. 75 % of them have the code LEASE_REVOKED.',
    );
  });

  it('a lost bus stays a warning next to a lost database', () => {
    const dependencies = { bus: { status: 'down' }, database: { status: 'down' } };
    expect(found({ dependencies, ready: false })).toEqual([
      'bad: The database is down',
      'warning: The bus is down',
    ]);
  });

  it('a change that was just made is not a problem', () => {
    expect(found({ changes: [{ ...change, at, pending: ['b'] }] })).toEqual([]);
  });
});

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { formatSid, type UsageCount } from '../contracts/index.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { SeriesCounts } from './series-counts.ts';
import { seriesKept, UsageCounts } from './usage-counts.ts';

const minuteMs = 60_000;
type Counted = Parameters<UsageCounts['count']>;
const ada: Counted = ['keys', null, 'film', 'ada', null];
const by = (viewerId: string, code: string | null = null): Counted => ['keys', code, 'film', viewerId, null];
const sumOf = (counts: readonly Pick<UsageCount, 'served' | 'refused'>[]) => ({
  served: counts.reduce((sum, { served }) => sum + served, 0),
  refused: counts.reduce((sum, { refused }) => sum + refused, 0),
});

function setUp() {
  const clock = createManualClock();
  const counts = new UsageCounts(clock);
  const of = (kind: string) =>
    counts.ended().flatMap(({ counts: all }) => all.filter((count) => count.kind === kind));
  return { clock, counts, of };
}

test('a request is counted by its code, content, viewer and API key, and once in total', () => {
  const { clock, counts, of } = setUp();
  counts.count(...ada);
  counts.count(...by('ada', 'LEASE_REVOKED'));
  counts.count('keys', 'UNAUTHENTICATED', null, null, null);
  counts.count('leases', null, 'film', null, 'key-1');
  expect(counts.ended()).toEqual([]);
  clock.advance(minuteMs);
  expect(of('total')).toEqual([
    { requests: 'keys', kind: 'total', series: '', served: 1, refused: 2 },
    { requests: 'leases', kind: 'total', series: '', served: 1, refused: 0 },
  ]);
  expect(of('code').map(({ series, refused }) => [series, refused])).toEqual([
    ['LEASE_REVOKED', 1],
    ['UNAUTHENTICATED', 1],
  ]);
  expect(of('viewer')).toEqual([{ requests: 'keys', kind: 'viewer', series: 'ada', served: 1, refused: 1 }]);
  expect(of('api-key')).toEqual([
    { requests: 'leases', kind: 'api-key', series: 'key-1', served: 1, refused: 0 },
  ]);
});

test('100,000 viewers in a minute are counted exactly, in the memory of a few thousand, and a busy one stays by name', () => {
  const { clock, counts, of } = setUp();
  for (let n = 0; n < 100_000; n++) {
    counts.count(...by(`viewer-${n}`, n % 10 === 0 ? 'LEASE_EXPIRED' : null));
    if (n % 1_000 === 0) counts.count(...by('busy'));
  }
  clock.advance(minuteMs);
  const viewers = of('viewer');
  expect(viewers.length).toBe(seriesKept + 1);
  expect(sumOf(viewers)).toEqual({ served: 90_100, refused: 10_000 });
  expect(viewers[0]).toMatchObject({ series: 'busy', served: 100, refused: 0 });
  expect(sumOf(of('total'))).toEqual({ served: 90_100, refused: 10_000 });
});

test('a kind keeps a bounded number of series, however many are named', () => {
  const series = new SeriesCounts();
  let most = 0;
  for (let n = 0; n < 50_000; n++) {
    series.add(`id-${n}`, true);
    most = Math.max(most, series.size);
  }
  expect(most).toBeLessThanOrEqual(4_000);
});

test('a minute is reported once it is over, and the one under way at the end of the process', () => {
  const { clock, counts } = setUp();
  const first = clock.now() - (clock.now() % minuteMs);
  counts.count(...ada);
  clock.advance(minuteMs);
  counts.count(...ada);
  expect(counts.ended().map(({ at }) => at)).toEqual([first]);
  counts.end();
  const ended = counts.ended();
  expect(ended.map(({ at }) => at)).toEqual([first, first + minuteMs]);
  counts.settle(ended[0]?.number ?? 0);
  expect(counts.ended().map(({ at }) => at)).toEqual([first + minuteMs]);
});

test('requests after the end of a minute that was cut off are another report of the same minute', () => {
  const { counts } = setUp();
  counts.count(...ada);
  counts.end();
  counts.count(...ada);
  counts.end();
  const [one, two] = counts.ended();
  expect(one?.at).toBe(two?.at);
  expect(one?.number).not.toBe(two?.number);
});

test('minutes that cannot be reported for an hour are given up one by one, and counted as lost', () => {
  const { clock, counts } = setUp();
  for (let minute = 0; minute < 70; minute++) {
    counts.count(...ada);
    clock.advance(minuteMs);
  }
  expect(counts.ended()).toHaveLength(60);
  expect(counts.lostMinutes).toBe(10);
});

test('a clock that is set back goes on with the latest minute', () => {
  const { clock, counts } = setUp();
  counts.count(...ada);
  clock.advance(-10 * minuteMs);
  counts.count(...ada);
  clock.advance(12 * minuteMs);
  expect(counts.ended().map(({ counts: all }) => all[0]?.served)).toEqual([2]);
});

test('a raw key in the id of a viewer is not reported', () => {
  const { clock, counts, of } = setUp();
  const raw = `lk_${'a1'.repeat(32)}`;
  counts.count(...by(`x ${raw}`));
  clock.advance(minuteMs);
  expect(JSON.stringify(of('viewer'))).not.toContain(raw);
  expect(sumOf(of('viewer'))).toEqual({ served: 1, refused: 0 });
});

test('a content whose id is a hash is reported under it, and the id of a session in its place is not', () => {
  const { clock, counts, of } = setUp();
  const sid = formatSid('4c3b0a4e-90a4-4f43-9d0f-1a7c2f0e3b55', Buffer.alloc(16, 1));
  const hash = createHash('sha256').update('film').digest('base64url');
  for (const [code, contentId] of [
    [null, hash],
    ['CONTENT_NOT_FOUND', sid],
  ] as const)
    counts.count('keys', code, contentId, 'ada', null);
  clock.advance(minuteMs);
  expect(of('content').map(({ series }) => series)).toEqual([hash, '***']);
});

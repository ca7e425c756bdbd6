/** The result of `getMetrics()`: the eight figures of one `load()`. Averages are 0 without values. */
export interface PlayerMetrics {
  /** Milliseconds from `load()` to the first rendered frame; null until then. */
  readonly timeToFirstFrame: number | null;
  /** Milliseconds of decryption, per segment. */
  readonly avgDecryptTime: number;
  /** Milliseconds of download, per segment. */
  readonly avgFragLoadTime: number;
  /** Milliseconds per answered key request. */
  readonly avgKeyFetchTime: number;
  /** Requests for keys, repeated and refused ones included. */
  readonly keyFetchCount: number;
  /** Changes of level that were shown. */
  readonly qualitySwitches: number;
  /** Segments that were loaded. */
  readonly fragmentsLoaded: number;
  /** Times the buffer ran empty while playing. The start and seeks do not count. */
  readonly stallCount: number;
}

export interface MetricsRecorder {
  /** Resets all figures. The time to the first frame starts now. */
  begin(): void;
  firstFrame(): void;
  decrypted(durationMs: number): void;
  fragmentLoaded(durationMs: number): void;
  keyRequested(durationMs: number, wasAnswered: boolean): void;
  levelShown(level: number): void;
  stalled(): void;
  read(): PlayerMetrics;
}

export function createMetrics(now: () => number): MetricsRecorder {
  let figures = empty(0);
  return {
    begin() {
      figures = empty(now());
    },
    firstFrame() {
      figures.firstFrameMs ??= now() - figures.startMs;
    },
    decrypted: (durationMs) => add(figures.decryption, durationMs),
    fragmentLoaded: (durationMs) => add(figures.fragments, durationMs),
    keyRequested(durationMs, wasAnswered) {
      figures.keyRequests += 1;
      if (wasAnswered) add(figures.keys, durationMs);
    },
    levelShown(level) {
      if (figures.level !== undefined && figures.level !== level) figures.switches += 1;
      figures.level = level;
    },
    stalled() {
      figures.stalls += 1;
    },
    read: () => ({
      timeToFirstFrame: figures.firstFrameMs === undefined ? null : round(figures.firstFrameMs),
      avgDecryptTime: average(figures.decryption),
      avgFragLoadTime: average(figures.fragments),
      avgKeyFetchTime: average(figures.keys),
      keyFetchCount: figures.keyRequests,
      qualitySwitches: figures.switches,
      fragmentsLoaded: figures.fragments.count,
      stallCount: figures.stalls,
    }),
  };
}

interface Sum {
  count: number;
  totalMs: number;
}

function empty(startMs: number) {
  const none = (): Sum => ({ count: 0, totalMs: 0 });
  return {
    startMs,
    firstFrameMs: undefined as number | undefined,
    decryption: none(),
    fragments: none(),
    keys: none(),
    keyRequests: 0,
    level: undefined as number | undefined,
    switches: 0,
    stalls: 0,
  };
}

function add(sum: Sum, durationMs: number): void {
  sum.count += 1;
  sum.totalMs += Math.max(durationMs, 0);
}

const average = ({ count, totalMs }: Sum) => (count === 0 ? 0 : round(totalMs / count));
/** To the precision of browsers. */
const round = (durationMs: number) => Math.round(durationMs * 100) / 100;

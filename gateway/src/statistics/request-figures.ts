import { DurationCounts, type RequestStepReport, stepMs } from '@latchkey/shared/statistics';
import type { RequestFigures, Statistics } from './statistics-schema.ts';

const minuteMs = 60_000;
const hourMs = 3_600_000;

/** Which steps a series has: from the first one to the one that `now` is in. */
export interface Span {
  first: number;
  now: number;
}

/** Adds up the requests of several processes: all of them, and step by step. */
export function toRequestSeries(
  reports: readonly (readonly RequestStepReport[])[],
  { first, now }: Span,
  startedAt: number,
): Pick<Statistics['keyRequests'], 'lastMinute' | 'lastHour' | 'series'> {
  const byStep = Map.groupBy(reports.flat(), ({ at }) => at);
  const series = [];
  for (let at = first; at <= now; at += stepMs)
    series.push({
      at: new Date(at).toISOString(),
      ...figuresOf(byStep.get(at) ?? [], secondsOf(at, now, startedAt)),
    });
  const window = (lengthMs: number) => {
    const from = now - lengthMs;
    return figuresOf(
      reports.flat().filter(({ at }) => at > from),
      secondsOf(Math.max(from, startedAt), now, startedAt, lengthMs),
    );
  };
  return { lastMinute: window(minuteMs), lastHour: window(hourMs), series };
}

/** How long was counted: less than the whole step if the process started within it, or if it is not over. */
function secondsOf(from: number, now: number, startedAt: number, lengthMs = stepMs): number {
  const until = Math.min(from + lengthMs, now);
  // Less than a second would make a few requests look like a flood.
  return Math.max(until - Math.max(from, startedAt), 1_000) / 1_000;
}

function figuresOf(steps: readonly RequestStepReport[], seconds: number): RequestFigures {
  const durations = new DurationCounts();
  let [count, clientErrors, serverErrors] = [0, 0, 0];
  for (const step of steps) {
    count += step.count;
    clientErrors += step.clientErrors;
    serverErrors += step.serverErrors;
    durations.merge(step.durations);
  }
  const shareOf = (part: number) => (count === 0 ? null : toDigits(part / count, 4));
  return {
    count,
    perSecond: toDigits(count / seconds, 2),
    p50Ms: durations.quantile(0.5),
    p95Ms: durations.quantile(0.95),
    p99Ms: durations.quantile(0.99),
    clientErrorShare: shareOf(clientErrors),
    serverErrorShare: shareOf(serverErrors),
  };
}

export function toDigits(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

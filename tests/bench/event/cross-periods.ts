import { leadSeconds } from '../../../sdk/player/src/early-moment.ts';
import { monotonicMs } from '../load/order.ts';
import type { CrossMode, CrossOrder, CrossResult } from './event-order.ts';
import type { Ended, EventViewer } from './event-viewer.ts';
import { epochAt } from './join-event.ts';
import { summarize } from './outcomes.ts';
import { runAll, untilAnswered } from './schedule.ts';

/** Players learn of a period by its first segment, which is complete this long after it began. */
const segmentSeconds = 2;

/** Lets each viewer request the key of each of the next periods that begin, at the moments of this mode. */
export async function crossPeriods(order: CrossOrder, viewers: readonly EventViewer[]): Promise<CrossResult> {
  const { channel, periods, mode } = order;
  const { contentId, originMs, periodSeconds } = channel;
  const nowMs = Date.now();
  // The one after the next: for the next one, early moments have passed.
  const firstEpoch = epochAt(channel, nowMs) + 2;
  const toMonotonicMs = monotonicMs() - nowMs;
  const keys: Ended[] = [];
  const ask = async (viewer: EventViewer, epoch: number, atMs: number) => {
    keys.push(await viewer.getKey(contentId, epoch, atMs));
  };
  const dues = Array.from({ length: periods }, (_, n) => firstEpoch + n).flatMap((epoch) => {
    const beginsAtMs = originMs + epoch * periodSeconds * 1_000 + toMonotonicMs;
    return viewers.map((viewer) => ({
      atMs: beginsAtMs + 1_000 * secondsFromBegin(mode, periodSeconds, Math.random()),
      act: (atMs: number) => void ask(viewer, epoch, atMs),
    }));
  });
  const startMs = monotonicMs();
  const cpuBefore = process.cpuUsage();
  await runAll(dues);
  const seconds = (monotonicMs() - startMs) / 1_000;
  await untilAnswered(viewers);
  const { user, system } = process.cpuUsage(cpuBefore);
  const firstBeginsAtMs = originMs + firstEpoch * periodSeconds * 1_000 + toMonotonicMs;
  return {
    key: summarize(keys),
    stampedeFactor: stampedeFactorOf(keys, firstBeginsAtMs, viewers.length / periodSeconds),
    ownCpuShare: (user + system) / 1e6 / seconds,
  };
}

function secondsFromBegin(mode: CrossMode, periodSeconds: number, random: number): number {
  return mode === 'ahead' ? -leadSeconds(periodSeconds, random, periodSeconds - segmentSeconds) : random;
}

/** The busiest second to the mean. Seconds are counted from the beginning of a period. */
function stampedeFactorOf(
  keys: readonly Pick<Ended, 'wantedAtMs'>[],
  fromMs: number,
  meanPerSecond: number,
): number {
  const counts = new Map<number, number>();
  for (const { wantedAtMs } of keys) {
    const second = Math.floor((wantedAtMs - fromMs) / 1_000);
    counts.set(second, (counts.get(second) ?? 0) + 1);
  }
  return Math.max(...counts.values()) / meanPerSecond;
}

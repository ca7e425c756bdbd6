import { nowSeconds, viewerToken } from '@latchkey/support/tokens';
import { monotonicMs } from '../load/order.ts';
import type { Channel, JoinOrder, JoinResult } from './event-order.ts';
import { type Ended, EventViewer } from './event-viewer.ts';
import { latencyOf, summarize } from './outcomes.ts';
import { runAll, untilAnswered } from './schedule.ts';

/** Longer than a measurement. */
const tokenLifeSeconds = 3_600;
/** Until the first arrival. */
const leadMs = 100;

/** Lets all viewers arrive at random moments of the given time. Each creates a lease, and then requests the current key. */
export async function joinEvent(order: JoinOrder): Promise<{ viewers: EventViewer[]; result: JoinResult }> {
  const { viewers: count, overSeconds, channel, tokenSecret, url } = order;
  const exp = nowSeconds() + tokenLifeSeconds;
  const viewers = Array.from(
    { length: count },
    (_, n) => new EventViewer(url, viewerToken(tokenSecret, `viewer-${n}`, { exp })),
  );
  const leases: Ended[] = [];
  const keys: Ended[] = [];
  const firstKeys: Ended[] = [];
  const startMs = monotonicMs() + leadMs;
  const isFirst = (wantedAtMs: number) => wantedAtMs < startMs + 1_000;
  const join = async (viewer: EventViewer, wantedAtMs: number) => {
    const lease = await viewer.createLease(channel.contentId, wantedAtMs);
    leases.push(lease);
    if (viewer.leaseId === '') return;
    const key = await viewer.getKey(channel.contentId, epochAt(channel, Date.now()), lease.endedAtMs);
    keys.push(key);
    if (isFirst(wantedAtMs)) firstKeys.push(key);
  };
  const cpuBefore = process.cpuUsage();
  await runAll(
    viewers.map((viewer) => ({
      atMs: startMs + Math.random() * overSeconds * 1_000,
      act: (atMs) => void join(viewer, atMs),
    })),
  );
  const seconds = (monotonicMs() - startMs) / 1_000;
  await untilAnswered(viewers);
  const { user, system } = process.cpuUsage(cpuBefore);
  const firstLeases = leases.filter(({ wantedAtMs }) => isFirst(wantedAtMs));
  const result = {
    lease: summarize(leases),
    key: summarize(keys),
    firstSecond: { lease: latencyOf(firstLeases), key: latencyOf(firstKeys) },
    seconds,
    ownCpuShare: (user + system) / 1e6 / seconds,
  };
  return { viewers, result };
}

export function epochAt({ originMs, periodSeconds }: Channel, atMs: number): number {
  return Math.floor((atMs - originMs) / 1_000 / periodSeconds);
}

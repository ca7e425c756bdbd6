import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnPrometheus } from '@latchkey/support/prometheus/own-prometheus';

/** What Prometheus made of one fault. */
export interface Raised {
  /** Names of the alerts that fired from the beginning of the fault until all was calm again, sorted. */
  fired: string[];
  /** Seconds from the repair until no alert was firing or pending; null if that took too long. */
  calmAfterSeconds: number | null;
}

export interface Watched {
  prometheus: OwnPrometheus;
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
  /** The alerts that must fire. */
  expected: readonly string[];
  /** How long the fault lasts at least, so that an alert that must not fire could. */
  leastSeconds: number;
}

const lookEveryMs = 250;
/** Above the longest hold and window of the shortened rules together with a start of a process. */
const mostSeconds = 26;
const calmWithinSeconds = 60;
/** Longer than two evaluations. */
const calmForMs = 1_500;

/** Breaks a part until every expected alert has fired, repairs it, and waits until all alerts have ended. */
export async function watchAlerts(watched: Watched): Promise<Raised> {
  const { prometheus, expected, leastSeconds } = watched;
  const fired = new Set<string>();
  const look = async () => {
    const alerts = await prometheus.alerts();
    for (const { name, state } of alerts) if (state === 'firing') fired.add(name);
    return alerts.length;
  };
  const beganAtMs = performance.now();
  const elapsedSeconds = () => (performance.now() - beganAtMs) / 1_000;
  await watched.begin();
  while (
    elapsedSeconds() < leastSeconds ||
    (elapsedSeconds() < mostSeconds && !expected.every((name) => fired.has(name)))
  ) {
    await look();
    await sleep(lookEveryMs);
  }
  const mendedAtMs = performance.now();
  await watched.end();
  const calmAtMs = await untilCalm(look);
  const calmAfterSeconds = calmAtMs === null ? null : (calmAtMs - mendedAtMs) / 1_000;
  return { fired: [...fired].sort(), calmAfterSeconds };
}

/** @returns when no alert was active any more; null if that took too long */
async function untilCalm(look: () => Promise<number>): Promise<number | null> {
  const limitMs = performance.now() + calmWithinSeconds * 1_000;
  let calmAtMs: number | null = null;
  while (performance.now() < limitMs) {
    const active = await look();
    const nowMs = performance.now();
    if (active > 0) calmAtMs = null;
    else calmAtMs ??= nowMs;
    if (calmAtMs !== null && nowMs - calmAtMs >= calmForMs) return calmAtMs;
    await sleep(lookEveryMs);
  }
  return null;
}

/** Waits until no alert is active. @throws Error if that takes too long */
export async function waitCalm(prometheus: OwnPrometheus): Promise<void> {
  const look = async () => (await prometheus.alerts()).length;
  if ((await untilCalm(look)) !== null) return;
  const names = (await prometheus.alerts()).map(({ name }) => name).join(', ');
  throw new Error(`alerts fire although nothing is broken: ${names}`);
}

const hourMs = 3_600_000;

/** The parts of the statistics that are used here. */
interface Figures {
  at: string;
  stepSeconds: number;
  activeLeases: { count: number | null };
}

/**
 * Replaces the figures by figures of an invented evening hour. The server has run for seconds only, and keeps its figures in memory.
 * The other statistics stay as they are.
 */
export function drawHour<Statistics extends Figures>(statistics: Statistics): Statistics {
  const steps = Math.floor(hourMs / 1_000 / statistics.stepSeconds);
  const end = Date.parse(statistics.at);
  const leases = statistics.activeLeases.count ?? 0;
  const times = Array.from(
    { length: steps },
    (_, step) => end - (steps - step) * statistics.stepSeconds * 1_000,
  );
  const keys = times.map((at, step) => ({
    at: new Date(at).toISOString(),
    ...requestsIn(step, steps, statistics.stepSeconds),
  }));
  const of = (count: number) => keys.slice(-count).reduce((sum, step) => sum + step.count, 0);
  const last = keys.at(-1);
  const minute = 60 / statistics.stepSeconds;
  const requests = {
    lastMinute: { ...last, count: of(minute), perSecond: of(minute) / 60 },
    lastHour: {
      ...last,
      count: of(steps),
      perSecond: of(steps) / 3_600,
      clientErrorShare: 0.006,
      serverErrorShare: 0,
    },
    series: keys,
  };
  return {
    ...statistics,
    keyRequests: requests,
    playbackRequests: requests,
    requests,
    activeLeases: {
      count: leases,
      series: times.map((at, step) => ({
        at: new Date(at).toISOString(),
        count: Math.round(leases * rise(step, steps)),
      })),
    },
    player: {
      lastHour: { reports: 1_240, firstFrameP50Ms: 412, firstFrameP95Ms: 1_130, stallsPerReport: 0.04 },
      series: times.map((at, step) => ({
        at: new Date(at).toISOString(),
        reports: 4,
        firstFrameP50Ms: 380 + 60 * wave(step, 31),
        firstFrameP95Ms: 1_050 + 190 * wave(step, 17),
        stallsPerReport: 0.03 + 0.02 * wave(step, 23),
      })),
    },
  };
}

/** From -1 to 1. It does not repeat: the lengths of its two waves have no common multiple. */
const wave = (step: number, length: number) =>
  (Math.sin((step * 2 * Math.PI) / length) + Math.sin((step * 2 * Math.PI) / (length * 0.381))) / 2;

/** Grows towards 1, as in the evening. */
const rise = (step: number, steps: number) =>
  0.55 + 0.45 * (step / (steps - 1)) ** 1.4 + 0.015 * wave(step, 41) * (1 - step / steps);

function requestsIn(step: number, steps: number, stepSeconds: number) {
  const perSecond = Math.max(0, 18 * rise(step, steps) + 1.6 * wave(step, 13));
  // A backup runs for some minutes.
  const load = step > steps * 0.62 && step < steps * 0.68 ? 2.6 : 1;
  return {
    count: Math.round(perSecond * stepSeconds),
    perSecond,
    p50Ms: 2.1 + 0.3 * wave(step, 29),
    p95Ms: (7.5 + 1.4 * wave(step, 19)) * load,
    p99Ms: (19 + 6 * wave(step, 11)) * load,
    clientErrorShare: Math.max(0, 0.006 + 0.004 * wave(step, 37)),
    serverErrorShare: 0,
  };
}

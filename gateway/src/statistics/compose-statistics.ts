import type { DatabaseSize } from '@latchkey/shared/contracts';
import type { ReadyReport } from '@latchkey/shared/lifecycle';
import {
  type ConfigurationWarning,
  DurationCounts,
  type PlayerStepReport,
  type ProcessReport,
  type RequestStepReport,
  stepMs,
  stepsKept,
} from '@latchkey/shared/statistics';

import { findConcerns, type Judged } from './concerns/find-concerns.ts';
import { listRefusals, type ReportingProcess, toProcessFigures } from './process-figures.ts';
import type { ChangeFigures, PlayerFigures, RequestFigures, Statistics } from './statistics-schema.ts';

/** All reports. In the single node, they all come from one process. */
export interface Gathered {
  /** Of the process that answers clients. */
  gateway: ProcessReport;
  /** Null in the single node, where one process derives the keys, too. */
  replicas: readonly ReplicaReport[] | null;
  leases: readonly ProcessReport[];
  /** Every process, the one that answers first. */
  processes: readonly ReportingProcess[];
  /** Warnings about the configuration of services and about stored rows. */
  warnings: readonly ConfigurationWarning[];
  ready: ReadyReport;
  missing: Statistics['missing'];
  /** Null if it cannot be read, or was not asked for. */
  database: DatabaseSize | null;
}

type RequestPart = 'keyRequests' | 'leaseRequests' | 'otherRequests';

/** The time from which reports are needed. */
export function beginningOf(now: number): number {
  return now - (now % stepMs) - (stepsKept - 1) * stepMs;
}

/** How much is shown of what was gathered. */
export interface Shown {
  /** How many points a series has at most. */
  steps: number;
  refusals?: number;
  settings?: boolean;
}

export function composeStatistics(
  gathered: Gathered,
  { steps, refusals = 0, settings = false }: Shown,
  now: number,
): Statistics {
  const { gateway, ready, missing } = gathered;
  const replicas = gathered.replicas ?? [{ name: 'single node', report: gateway }];
  const earliest = now - (now % stepMs) - (steps - 1) * stepMs;
  const seriesOf = (reports: readonly ProcessReport[], parts: readonly RequestPart[]) =>
    toRequestSeries(reports, parts, { earliest, now });
  const statistics: Judged = {
    at: new Date(now).toISOString(),
    stepSeconds: stepMs / 1_000,
    keyRequests: {
      source: gathered.replicas ? 'key-derivation' : 'gateway',
      ...seriesOf(
        replicas.map(({ report }) => report),
        ['keyRequests'],
      ),
    },
    playbackRequests: { source: 'gateway', ...seriesOf([gateway], ['keyRequests', 'leaseRequests']) },
    requests: {
      source: 'gateway',
      ...seriesOf([gateway], ['keyRequests', 'leaseRequests', 'otherRequests']),
    },
    refusedCodes: gateway.refusedCodes ?? [],
    activeLeases: toActiveLeases(gathered.leases, earliest),
    // Every replica applies the same changes. One that started lately has counted fewer.
    endedLeases: { lastHour: Math.max(0, ...replicas.map(({ report }) => countEnded(report, now - hourMs))) },
    player: toPlayer(
      gathered.leases.flatMap((report) => report.playerReports),
      earliest,
    ),
    changes: toChangeFigures(replicas),
    replicas: replicas.map(({ name, report }) => ({
      replica: name,
      startedAt: new Date(report.startedAt).toISOString(),
    })),
    processes: gathered.processes.map(toProcessFigures),
    ready: ready.ready,
    dependencies: ready.dependencies,
    // Several processes send the same warning of the same variable.
    warnings: [...new Map(gathered.warnings.map((warning) => [warning.code, warning])).values()],
    refusals: listRefusals(gathered.processes, refusals),
    ...(settings && {
      settings: {
        database: gathered.database,
        processes: gathered.processes.flatMap(({ service, address, report }) =>
          report.settings ? [{ service, address, ...report.settings }] : [],
        ),
      },
    }),
    missing,
  };
  return { ...statistics, concerns: findConcerns(statistics) };
}

/** All replicas count the same rows, so any count of a step is the count. */
function toActiveLeases(reports: readonly ProcessReport[], earliest: number): Statistics['activeLeases'] {
  const counts = new Map(
    reports.flatMap((report) => report.activeLeases.map(({ at, count }) => [at, count])),
  );
  const series = [...counts]
    .sort(([a], [b]) => a - b)
    .map(([at, count]) => ({ at: new Date(at).toISOString(), count }));
  const last = series.at(-1);
  return {
    count: last?.count ?? null,
    countedAt: last?.at ?? null,
    series: series.filter(({ at }) => Date.parse(at) >= earliest),
  };
}

function countEnded({ endedLeases }: ProcessReport, since: number): number {
  return endedLeases.filter(({ at }) => at >= since).reduce((sum, { count }) => sum + count, 0);
}

function toPlayer(steps: readonly PlayerStepReport[], earliest: number): Statistics['player'] {
  const byStep = Map.groupBy(steps, ({ at }) => at);
  return {
    lastHour: playerFiguresOf(steps),
    series: [...byStep]
      .filter(([at]) => at >= earliest)
      .sort(([a], [b]) => a - b)
      .map(([at, own]) => ({ at: new Date(at).toISOString(), ...playerFiguresOf(own) })),
  };
}

function playerFiguresOf(steps: readonly PlayerStepReport[]): PlayerFigures {
  const firstFrames = new DurationCounts();
  let [reports, stalls] = [0, 0];
  for (const step of steps) {
    reports += step.reports;
    stalls += step.stalls;
    firstFrames.merge(step.firstFrames);
  }
  return {
    reports,
    firstFrameP50Ms: firstFrames.quantile(0.5),
    firstFrameP95Ms: firstFrames.quantile(0.95),
    stallsPerReport: reports === 0 ? null : toDigits(stalls / reports, 2),
  };
}

/** As many as a page shows. */
const changesShown = 20;
interface ReplicaReport {
  /** Its address. */
  name: string;
  report: ProcessReport;
}

/** The latest changes, newest first, and how soon each replica applied them. */
function toChangeFigures(replicas: readonly ReplicaReport[]): ChangeFigures[] {
  const known = new Map(
    replicas.flatMap(({ report }) => report.changes.map((change) => [change.number, change])),
  );
  const latest = [...known.values()].sort((a, b) => b.number - a.number).slice(0, changesShown);
  return latest.map(({ delayMs: _, ...change }) => {
    const { number, at } = change;
    const reached: ChangeFigures['reached'] = [];
    const pending: string[] = [];
    for (const { name, report } of replicas) {
      const applied = report.changes.find((change) => change.number === number);
      if (applied) reached.push({ replica: name, delayMs: applied.delayMs });
      else if (shouldKnow(report, number, at)) pending.push(name);
    }
    return {
      ...change,
      at: new Date(at).toISOString(),
      slowestMs: reached.length > 0 ? Math.max(...reached.map(({ delayMs }) => delayMs)) : null,
      reached,
      pending,
    };
  });
}

/** Leaves out a replica that started later, and one that has dropped this change for newer ones. */
function shouldKnow(report: ProcessReport, number: number, at: number): boolean {
  const oldest = Math.min(...report.changes.map((change) => change.number));
  return report.startedAt < at && (report.changes.length === 0 || number > oldest);
}

const minuteMs = 60_000;
const hourMs = 3_600_000;

/** Adds up the requests of several processes: all of them, and step by step. */
function toRequestSeries(
  reports: readonly ProcessReport[],
  parts: readonly RequestPart[],
  { earliest, now }: { earliest: number; now: number },
): Omit<Statistics['keyRequests'], 'source'> {
  const startedAt = Math.min(now, ...reports.map((report) => report.startedAt));
  const steps = reports.flatMap((report) => parts.flatMap((part) => report[part]));
  const byStep = Map.groupBy(steps, ({ at }) => at);
  const series = [];
  for (let at = Math.max(earliest, startedAt - (startedAt % stepMs)); at <= now; at += stepMs)
    series.push({
      at: new Date(at).toISOString(),
      ...figuresOf(byStep.get(at) ?? [], secondsOf(at, now, startedAt)),
    });
  const window = (lengthMs: number) => {
    // Only whole steps are counted, so the period begins with one: dividing by the full length would show a steady load too low.
    const from = Math.ceil((now - lengthMs) / stepMs) * stepMs;
    // A young process served nothing before its start. The seconds since then would show its first requests as a flood.
    const seconds = (now - from) / 1_000;
    return figuresOf(
      steps.filter(({ at }) => at >= from),
      seconds,
    );
  };
  return { processes: reports.length, lastMinute: window(minuteMs), lastHour: window(hourMs), series };
}

/** How long was counted: less than the whole step if the process started within it, or if it is not over. */
function secondsOf(from: number, now: number, startedAt: number): number {
  const until = Math.min(from + stepMs, now);
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

function toDigits(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

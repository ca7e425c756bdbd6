import { thresholds } from '@latchkey/shared/statistics/thresholds';
import { type Finding, notice, ok, warning, wrong } from '../finding.ts';
import type { LiveProcess, Statistics } from './answer-forms.ts';

/** @param at the clock of the process that answered, milliseconds since 1970 */
export function judgeStatistics(statistics: Statistics, at: number) {
  const { processes } = statistics;
  const revocations = readRevocations(statistics.changes, at);
  const findings = [
    judgeKeyRequests(statistics.keyRequests),
    judgeRevocations(revocations),
    ...judgeVersions(processes),
    ...processes.map((process) => judgeProcess(process, at)),
    ...judgeOthers(statistics),
  ];
  return { revocations, findings };
}

/** The bound of `docs/reference/contract.md#revocation`. */
const revocationBoundMs = 5_000;
/** Older changes say little about now. */
const recentMs = 10 * 60_000;

/** Key requests of the last minute, by the thresholds of the alerts. */
function judgeKeyRequests({ lastMinute }: Statistics['keyRequests']): Finding {
  const about = 'key requests, last minute';
  const { count, p95Ms, clientErrorShare: clientErrors, serverErrorShare: serverErrors } = lastMinute;
  if (count === 0) return ok(about, 'none');
  const says = `${count}, p95 ${describeMs(p95Ms)}, ${toPercent(clientErrors)} 4xx, ${toPercent(serverErrors)} 5xx`;
  if (serverErrors > thresholds.serverErrorAlert)
    return wrong(about, says, {
      mend: 'standard error has the cause of each 503; dependencies above may show it',
      topic: 'key-errors',
    });
  if (p95Ms > thresholds.keyTargetMs)
    return (p95Ms > thresholds.keyAlertMs ? wrong : warning)(about, says, { topic: 'key-latency' });
  if (clientErrors > thresholds.clientErrorAlert)
    return warning(about, says, {
      mend: 'the member code of the request lines says why viewers are refused',
      topic: 'key-refusals',
    });
  return ok(about, says);
}

const toPercent = (share: number) => `${Number((share * 100).toPrecision(2))} %`;

/** Delays of the latest revocations until each replica had applied them. */
function readRevocations(changes: Statistics['changes'], at: number) {
  const recent = changes
    .filter(({ kind }) => kind === 'leases')
    .map((change) => ({ ...change, ageMs: at - Date.parse(change.at ?? '') }))
    .filter(({ ageMs }) => ageMs <= recentMs);
  const delays = recent.flatMap(({ slowestMs }) => (slowestMs === null ? [] : [slowestMs]));
  const overdue = recent.filter(({ ageMs }) => ageMs > revocationBoundMs);
  return {
    /** How many of the last ten minutes are among the latest changes that the processes remember. */
    count: recent.length,
    slowestMs: delays.length > 0 ? Math.max(...delays) : null,
    /** Replicas that have not applied one for longer than the bound. */
    pending: [...new Set(overdue.flatMap(({ pending }) => pending))].sort(),
  };
}

function judgeRevocations({ count, slowestMs, pending }: ReturnType<typeof readRevocations>): Finding {
  const about = 'revocations, last ten minutes';
  if (pending.length > 0)
    return wrong(about, `have not reached ${pending.join(', ')} within ${describeMs(revocationBoundMs)}`, {
      mend: 'a replica that cannot read the change feed serves no keys; one that can and still lacks a revocation must be stopped',
      topic: 'revocation',
    });
  if (slowestMs === null) return ok(about, count === 0 ? 'none' : `${count}, none applied yet`);
  const says = `${count}, the slowest replica applied one after ${describeMs(slowestMs)}`;
  if (slowestMs <= thresholds.propagationTargetMs) return ok(about, says);
  return (slowestMs > revocationBoundMs ? wrong : warning)(about, says, { topic: 'revocation' });
}

/** Processes that did not report, and doubtful settings. */
function judgeOthers(statistics: Statistics): Finding[] {
  const missing = statistics.missing.map(({ service, address }) =>
    wrong(`${service} ${address ?? ''}`.trim(), 'did not report within half a second', {
      mend: 'look whether it runs, and whether it knows the same INTERNAL_SECRET',
      topic: 'missing',
    }),
  );
  const warnings = statistics.warnings.map(({ code, severity, detail, title, documentation }) =>
    (severity === 'notice' ? notice : warning)(code ?? 'configuration', detail ?? title ?? '', {
      mend: `read ${documentation ?? 'README.md'}`,
    }),
  );
  return [...missing, ...warnings];
}

/** From this part of its limit a process counts as unsure, and from 4 s at the latest (`shared/src/internal/answer-headers.ts`). */
const unsurePart = 0.8;
const latestUnsureMs = 4_000;
/** The goal for revocations (`docs/reference/contract.md#revocation`): a larger difference makes their measured delay meaningless. */
const doubtfulSkewMs = 1_000;
/** The default of `AUTH_JWT_CLOCK_TOLERANCE_SECONDS`: beyond it, good tokens are refused, or a mark misses some. */
const harmfulSkewMs = 10_000;

function judgeVersions(processes: readonly LiveProcess[]): Finding[] {
  const [first, ...others] = [...new Set(processes.map(({ version }) => version ?? 'unknown'))].sort();
  if (first === undefined) return [];
  if (others.length === 0)
    return [ok('versions', `are the same in every process that answered (${processes.length}): ${first}`)];
  const mend = 'finish the upgrade or roll it back';
  return [warning('versions', `differ: ${[first, ...others].join(', ')}`, { mend })];
}

function judgeProcess(process: LiveProcess, at: number): Finding {
  const { service, address, version, startedAt } = process;
  const upMs = startedAt === null ? Number.NaN : at - Date.parse(startedAt);
  const parts = [judgeFeed(process), judgeSkew(process)];
  const worst = parts.find(({ state }) => state === 'wrong') ?? parts.find(({ state }) => state !== 'ok');
  const says = [
    version === null ? 'does not say its version' : `runs ${version}`,
    Number.isNaN(upMs) ? '' : `up ${describeMs(Math.max(0, upMs))}`,
    ...parts.map((part) => part.says),
  ];
  const about = `${service} ${address}`;
  return { ...(worst ?? silent), about, says: says.filter(Boolean).join(', ') };
}

/** Nothing is known that could be judged. */
const silent = ok('', '');

function judgeFeed({ feedAgeMs, feedLimitMs }: LiveProcess): Finding {
  if (feedLimitMs === null) return silent;
  const mend =
    'look at its way to the database, or to the service that it reads the changes from; a process that starts needs some seconds';
  if (feedAgeMs === null) return wrong('feed', 'has not read the change feed yet', { mend, topic: 'feed' });
  const says = `feed ${describeMs(feedAgeMs)} old (limit ${describeMs(feedLimitMs)})`;
  const isUnsure = feedAgeMs > Math.min(latestUnsureMs, feedLimitMs * unsurePart);
  return isUnsure ? wrong('feed', says, { mend, topic: 'feed' }) : ok('feed', says);
}

function judgeSkew({ clockSkewMs, clockAccuracyMs }: LiveProcess): Finding {
  if (clockSkewMs === null || clockAccuracyMs === null) return silent;
  // The process that answers is what the others are compared with.
  if (clockSkewMs === 0 && clockAccuracyMs === 0) return silent;
  return judgeClock(clockSkewMs, clockAccuracyMs);
}

/** @returns the finding for a clock with this skew, `wrong` only if the inaccuracy cannot explain the skew */
export function judgeClock(skewMs: number, accuracyMs: number): Finding {
  const says = `clock ${describeSkew(skewMs, accuracyMs)}`;
  const surelyMs = Math.abs(skewMs) - accuracyMs;
  if (surelyMs <= doubtfulSkewMs) return ok('clock', says);
  const judge = surelyMs > harmfulSkewMs ? wrong : warning;
  return judge('clock', says, { mend: 'let NTP set the clocks of both machines', topic: 'clock' });
}

/** Such as `340 ms`, `4.2 s`, `12 min`, `3 h 5 min`, `2 d 4 h`. */
export function describeMs(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Such as `+12 ms (±3 ms)`. */
export function describeSkew(skewMs: number, accuracyMs: number): string {
  return `${skewMs < 0 ? '-' : '+'}${describeMs(Math.abs(skewMs))} (±${describeMs(accuracyMs)})`;
}

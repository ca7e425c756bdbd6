import { type Finding, ok, warning } from '../finding.ts';
import type { LiveProcess } from './answer-forms.ts';
import { describeMs, describeSkew } from './describe-time.ts';

/** From this part of its limit a process counts as unsure, and from 4 s at the latest (`shared/src/internal/answer-headers.ts`). */
const unsurePart = 0.8;
const latestUnsureMs = 4_000;
/** The goal for revocations (`docs/reference/contract.md#revocation`): a larger difference makes their measured delay meaningless. */
const doubtfulSkewMs = 1_000;
/** The default of `AUTH_JWT_CLOCK_TOLERANCE_SECONDS`: beyond it, good tokens are refused, or a mark misses some. */
const harmfulSkewMs = 10_000;

/** @param at the clock of the process that answered, milliseconds since 1970 */
export function judgeProcesses(processes: readonly LiveProcess[], at: number): Finding[] {
  return [...judgeVersions(processes), ...processes.map((process) => judgeProcess(process, at))];
}

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
  const said = { about: `${service} ${address}`, says: says.filter(Boolean).join(', ') };
  return { state: 'ok', ...worst, ...said };
}

type Part = Omit<Finding, 'about'>;

/** Nothing is known that could be judged. */
const silent: Part = { state: 'ok', says: '' };

function judgeFeed({ feedAgeMs, feedLimitMs }: LiveProcess): Part {
  if (feedLimitMs === null) return silent;
  const mend =
    'look at its way to the database, or to the service that it reads the changes from; a process that starts needs some seconds';
  if (feedAgeMs === null)
    return { state: 'wrong', says: 'has not read the change feed yet', mend, topic: 'feed' };
  const says = `feed ${describeMs(feedAgeMs)} old (limit ${describeMs(feedLimitMs)})`;
  const isUnsure = feedAgeMs > Math.min(latestUnsureMs, feedLimitMs * unsurePart);
  return isUnsure ? { state: 'wrong', says, mend, topic: 'feed' } : { state: 'ok', says };
}

function judgeSkew({ clockSkewMs, clockAccuracyMs }: LiveProcess): Part {
  if (clockSkewMs === null || clockAccuracyMs === null) return silent;
  // The process that answers is what the others are compared with.
  if (clockSkewMs === 0 && clockAccuracyMs === 0) return silent;
  return judgeClock(clockSkewMs, clockAccuracyMs);
}

/** @returns the finding for a clock with this skew, `wrong` only if the inaccuracy cannot explain the skew */
export function judgeClock(skewMs: number, accuracyMs: number): Part {
  const says = `clock ${describeSkew(skewMs, accuracyMs)}`;
  const surelyMs = Math.abs(skewMs) - accuracyMs;
  if (surelyMs <= doubtfulSkewMs) return { state: 'ok', says };
  const state = surelyMs > harmfulSkewMs ? 'wrong' : 'warning';
  return { state, says, mend: 'let NTP set the clocks of both machines', topic: 'clock' };
}

import { type Finding, ok, warning, wrong } from '../finding.ts';
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

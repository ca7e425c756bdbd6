import { thresholds } from '@latchkey/shared/statistics/thresholds';
import { type Finding, notice, ok, warning, wrong } from '../finding.ts';
import type { Statistics } from './answer-forms.ts';
import { describeMs } from './describe-time.ts';

/** The bound of `docs/reference/contract.md#revocation`. */
const revocationBoundMs = 5_000;
/** Older changes say little about now. */
const recentMs = 10 * 60_000;

/** Key requests of the last minute, by the thresholds of the alerts. */
export function judgeKeyRequests({ lastMinute }: Statistics['keyRequests']): Finding {
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

/** Delays of the latest revocations until each replica had applied them. @param at the clock of the process that answered, milliseconds since 1970 */
export function readRevocations(changes: Statistics['changes'], at: number) {
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

export function judgeRevocations({ count, slowestMs, pending }: ReturnType<typeof readRevocations>): Finding {
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
export function judgeOthers(statistics: Statistics): Finding[] {
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

import type { ConfigurationWarning } from '@latchkey/shared/statistics';
import { leastSample, leastShareSample, thresholds } from '@latchkey/shared/statistics/thresholds';
import type { ChangeFigures, Concern, Statistics } from '../statistics-schema.ts';
import { describeDependency } from './dependency-words.ts';

/** The statistics that the rules judge. */
export type Judged = Omit<Statistics, 'concerns'>;

/** A replica without a confirmation after this time is late. Before, it may just not have been polled. */
const pendingGraceMs = 5_000;
/** Older slow changes are no longer a problem. The list of revocations still shows them. */
const slowChangeShownMs = 600_000;

/** All current problems, worst first: what the Overview shows, and what becomes an alert. */
export function findConcerns(statistics: Judged): Concern[] {
  const concerns: Concern[] = [
    ...ofDependencies(statistics),
    ...ofRequests(statistics),
    ...ofChanges(statistics),
    ...ofProcesses(statistics),
    ...ofPlayers(statistics),
    ...statistics.warnings.filter(({ severity }) => severity === 'warning').map(ofWarning),
  ];
  const rank = ({ severity }: Concern) => (severity === 'bad' ? 0 : 1);
  return concerns.sort((a, b) => rank(a) - rank(b));
}

/** Without these the server is slower but correct. A loss of any other part causes 503 answers. */
const slowing = new Set(['bus', 'cache']);

function ofDependencies({ dependencies }: Judged): Concern[] {
  return Object.entries(dependencies)
    .filter(([, { status }]) => status !== 'up' && status !== 'unknown')
    .map(([name, { status }]) => {
      const [part, advice] = describeDependency(name);
      const takesNoWrites = status === 'degraded' && name === 'database';
      return {
        id: `dependency ${name}`,
        severity: slowing.has(name) ? 'warning' : 'bad',
        title: takesNoWrites ? `${part} takes no writes` : `${part} is ${status}`,
        advice,
      };
    });
}

function ofRequests({ keyRequests, playbackRequests, refusedCodes, requests }: Judged): Concern[] {
  const concerns: Concern[] = [];
  const { count, p95Ms } = keyRequests.lastMinute;
  if (p95Ms !== null && count >= leastSample && p95Ms > thresholds.keyTargetMs) {
    const isAlert = p95Ms > thresholds.keyAlertMs;
    concerns.push({
      id: 'key duration',
      severity: isAlert ? 'bad' : 'warning',
      title: `Key requests take ${formatDuration(p95Ms)}`,
      advice: `This is the p95 of the last minute. The ${isAlert ? `alert is ${thresholds.keyAlertMs}` : `target is ${thresholds.keyTargetMs}`} ms. Check the load of the machines and the response times of the database.`,
    });
  }
  const { serverErrorShare } = requests.lastHour;
  const { clientErrorShare, count: asked } = playbackRequests.lastHour;
  if (serverErrorShare !== null && serverErrorShare > thresholds.serverErrorAlert)
    concerns.push({
      id: 'server errors',
      severity: 'bad',
      title: `${formatShare(serverErrorShare)} of requests failed in the last hour`,
      advice: `These are 5xx answers; the alert is ${formatShare(thresholds.serverErrorAlert)}. The log has a line for each one, with its status and code.`,
    });
  if (
    clientErrorShare !== null &&
    asked >= leastShareSample &&
    clientErrorShare > thresholds.clientErrorAlert
  )
    concerns.push({
      id: 'client errors',
      severity: 'warning',
      title: `${formatShare(clientErrorShare)} of key and lease requests were refused in the last hour`,
      advice: `These are 4xx answers; the alert is ${formatShare(thresholds.clientErrorAlert)}. ${describeCodes(refusedCodes)}`,
    });
  return concerns;
}

/** The code that most of the refusals have. */
function describeCodes(codes: Judged['refusedCodes']): string {
  const [most] = codes;
  if (!most) return 'The log has the code of each.';
  const all = codes.reduce((sum, { count }) => sum + count, 0);
  return `${formatShare(most.count / all)} of them have the code ${most.code}.`;
}

function ofChanges({ changes, at }: Judged): Concern[] {
  const ageMs = (change: ChangeFigures) => Date.parse(at) - Date.parse(change.at);
  const late = changes.filter((change) => change.pending.length > 0 && ageMs(change) > pendingGraceMs);
  const replicas = [...new Set(late.flatMap(({ pending }) => pending))];
  if (replicas.length > 0)
    return [
      {
        id: 'pending changes',
        severity: 'bad',
        title: `${replicas.join(', ')} ${replicas.length === 1 ? 'has' : 'have'} not confirmed a revocation`,
        advice:
          'Can it reach its database and the bus? Without them it uses its cached state for 5 s and then serves no keys. Restart it if this persists.',
      },
    ];
  const slow = changes.find(
    (change) => (change.slowestMs ?? 0) > thresholds.propagationTargetMs && ageMs(change) < slowChangeShownMs,
  );
  if (!slow) return [];
  return [
    {
      id: 'slow change',
      severity: 'warning',
      title: `A change took ${formatDuration(slow.slowestMs ?? 0)} to reach every replica`,
      advice: `${describeChange(slow)}: it should take less than ${formatDuration(thresholds.propagationTargetMs)}. Check the bus, and whether the machine clocks agree.`,
    },
  ];
}

function ofProcesses({ missing }: Judged): Concern[] {
  if (missing.length === 0) return [];
  return [
    {
      id: 'missing',
      severity: 'warning',
      title: `No figures from ${missing.map(({ service, address }) => `${service} (${address})`).join(', ')}`,
      advice: 'Its requests are missing on this page. Is it running, and can the gateway reach it?',
    },
  ];
}

function ofPlayers({ player: { lastHour } }: Judged): Concern[] {
  const { firstFrameP95Ms, reports } = lastHour;
  if (firstFrameP95Ms === null || reports < leastSample || firstFrameP95Ms <= thresholds.firstFrameTargetMs)
    return [];
  return [
    {
      id: 'first frame',
      severity: 'warning',
      title: `Viewers wait ${formatDuration(firstFrameP95Ms)} for the first frame`,
      advice: `This is the p95 of the last hour; the target is ${formatDuration(thresholds.firstFrameTargetMs)}. If key requests are fast, check the CDN: it should cache segments without expiry.`,
    },
  ];
}

/** Describes a change in words, without IDs, which can be long. */
function describeChange({ kind, leaseId, viewerId, contentId }: ChangeFigures): string {
  if (kind === 'api-key') return 'An API key was changed';
  if (kind === 'content') return 'A content was changed';
  if (leaseId !== null) return 'One lease was revoked';
  if (viewerId !== null && contentId !== null) return 'The leases of a viewer for a content were revoked';
  return viewerId === null ? 'The leases of a content were revoked' : 'The leases of a viewer were revoked';
}

/** A warning about the configuration as a problem. */
function ofWarning({ code, title, detail }: ConfigurationWarning): Concern {
  return { id: code, severity: 'warning', title, advice: detail };
}

const formats: Intl.NumberFormat[] = [];

/** A format is made with its first number: the first one of a process takes 15 ms. */
function format(value: number, digits: number): string {
  formats[digits] ??= new Intl.NumberFormat('en', { maximumFractionDigits: digits });
  return formats[digits].format(value);
}

/** Two significant digits of a number below 100, and whole numbers above. */
const short = (value: number) => format(value, value >= 10 ? 0 : value >= 1 ? 1 : 2);

/** "0.84 ms", "3.4 ms", "120 ms", "1.2 s". @param ms milliseconds */
function formatDuration(ms: number): string {
  return ms >= 1_000 ? `${format(ms / 1_000, 1)} s` : `${short(ms)} ms`;
}

/** "0.05 %", "4.2 %", "37 %". @param share 0 to 1 */
function formatShare(share: number): string {
  return `${short(share * 100)} %`;
}

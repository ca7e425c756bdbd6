import type { AuthorityChange, ConfigurationWarning, Statistics } from '../../api/statistics.ts';
import { formatDuration, formatShare } from '../../components/format-numbers.ts';
import { describeChange } from './audited-changes.ts';
import { adviceForDependency, nameOfDependency } from './dependencies.ts';
import { leastSample, leastShareSample, thresholds } from './thresholds.ts';

/** A problem that needs attention. */
export interface Concern {
  id: string;
  kind: 'bad' | 'warning';
  title: string;
  /** What to do. */
  advice: string;
  /** A page of the dashboard that helps. */
  link?: { href: string; label: string };
}

/** A replica without a confirmation after this time is late. Before, it may just not have been polled. */
const pendingGraceMs = 5_000;
/** Older slow changes are no longer a problem. The list of revocations still shows them. */
const slowChangeShownMs = 600_000;

/** All current problems, worst first. */
export function findConcerns(statistics: Statistics): Concern[] {
  const concerns = [
    ...ofDependencies(statistics),
    ...ofRequests(statistics),
    ...ofChanges(statistics),
    ...ofProcesses(statistics),
    ...ofPlayers(statistics),
    ...statistics.warnings.filter(({ severity }) => severity === 'warning').map(ofWarning),
  ];
  return [...concerns.filter(({ kind }) => kind === 'bad'), ...concerns.filter(({ kind }) => kind !== 'bad')];
}

/** Without these the server is slower but correct. A loss of any other part causes 503 answers. */
const slowing = new Set(['bus', 'cache']);

function ofDependencies({ dependencies }: Statistics): Concern[] {
  return Object.entries(dependencies)
    .filter(([, { status }]) => status !== 'up')
    .filter(([, { status }]) => status !== 'unknown')
    .map(([name, { status }]) => ({
      id: `dependency ${name}`,
      kind: slowing.has(name) ? 'warning' : 'bad',
      title:
        status === 'degraded' && name === 'database'
          ? `${nameOfDependency(name)} takes no writes`
          : `${nameOfDependency(name)} is ${status}`,
      advice: adviceForDependency(name),
    }));
}

function ofRequests({ keyRequests, playbackRequests, requests }: Statistics): Concern[] {
  const concerns: Concern[] = [];
  const { count, p95Ms } = keyRequests.lastMinute;
  if (p95Ms !== null && count >= leastSample && p95Ms > thresholds.keyTargetMs) {
    const isAlert = p95Ms > thresholds.keyAlertMs;
    concerns.push({
      id: 'key duration',
      kind: isAlert ? 'bad' : 'warning',
      title: `Key requests take ${formatDuration(p95Ms)}`,
      advice: `This is the p95 of the last minute. The ${isAlert ? `alert is ${thresholds.keyAlertMs}` : `target is ${thresholds.keyTargetMs}`} ms. Check the load of the machines and the response times of the database.`,
    });
  }
  const { serverErrorShare } = requests.lastHour;
  const { clientErrorShare, count: asked } = playbackRequests.lastHour;
  if (serverErrorShare !== null && serverErrorShare > thresholds.serverErrorAlert)
    concerns.push({
      id: 'server errors',
      kind: 'bad',
      title: `${formatShare(serverErrorShare)} of requests failed in the last hour`,
      advice:
        'These are 5xx answers; the alert is 0.1 %. The log has a line for each one, with its status and code.',
    });
  if (
    clientErrorShare !== null &&
    asked >= leastShareSample &&
    clientErrorShare > thresholds.clientErrorAlert
  )
    concerns.push({
      id: 'client errors',
      kind: 'warning',
      title: `${formatShare(clientErrorShare)} of key and lease requests were refused in the last hour`,
      advice:
        'These are 4xx answers; the alert is 5 %. The usual reasons are expired tokens and revoked leases: the log has the code of each.',
    });
  return concerns;
}

function ofChanges({ changes, at }: Statistics): Concern[] {
  const ageMs = (change: AuthorityChange) => Date.parse(at) - Date.parse(change.at);
  const late = changes.filter((change) => change.pending.length > 0 && ageMs(change) > pendingGraceMs);
  const replicas = [...new Set(late.flatMap(({ pending }) => pending))];
  if (replicas.length > 0)
    return [
      {
        id: 'pending changes',
        kind: 'bad',
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
      kind: 'warning',
      title: `A change took ${formatDuration(slow.slowestMs ?? 0)} to reach every replica`,
      advice: `${describeChange(slow)}: it should take less than 1 s. Check the bus, and whether the machine clocks agree.`,
    },
  ];
}

function ofProcesses({ missing }: Statistics): Concern[] {
  if (missing.length === 0) return [];
  return [
    {
      id: 'missing',
      kind: 'warning',
      title: `No figures from ${missing.map(({ service, address }) => `${service} (${address})`).join(', ')}`,
      advice: 'Its requests are missing on this page. Is it running, and can the gateway reach it?',
    },
  ];
}

function ofPlayers({ player: { lastHour } }: Statistics): Concern[] {
  const { firstFrameP95Ms, reports } = lastHour;
  if (firstFrameP95Ms === null || reports < leastSample || firstFrameP95Ms <= thresholds.firstFrameTargetMs)
    return [];
  return [
    {
      id: 'first frame',
      kind: 'warning',
      title: `Viewers wait ${formatDuration(firstFrameP95Ms)} for the first frame`,
      advice:
        'This is the p95 of the last hour; the target is 2 s. If key requests are fast, check the CDN: it should cache segments without expiry.',
    },
  ];
}

const links: Record<string, Concern['link']> = {
  API_KEYS_NEVER_EXPIRE: { href: '/api-keys?filter=never-expires', label: 'Show these keys' },
};

/** The page of the dashboard where the warning can be resolved. */
export function linkOfWarning({ code }: ConfigurationWarning): Concern['link'] {
  return links[code];
}

function ofWarning(warning: ConfigurationWarning): Concern {
  const link = linkOfWarning(warning);
  return {
    id: warning.code,
    kind: 'warning',
    title: warning.title,
    advice: warning.detail,
    ...(link ? { link } : {}),
  };
}

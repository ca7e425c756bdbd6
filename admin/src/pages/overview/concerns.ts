import type { AuthorityChange, ConfigurationWarning, Statistics } from '../../api/statistics.ts';
import { formatDuration, formatShare } from '../../components/format-numbers.ts';
import { adviceForDependency, nameOfDependency } from './dependencies.ts';
import { describeChange } from './named-changes.ts';
import { leastSample, leastShareSample, thresholds } from './thresholds.ts';

/** Something that somebody has to look at. */
export interface Concern {
  id: string;
  kind: 'bad' | 'warning';
  title: string;
  /** What to do. */
  advice: string;
  /** Where in the dashboard. */
  link?: { href: string; label: string };
}

/** A replica that has not confirmed by then is late by any measure: within it, it may only have been asked too early. */
const pendingGraceMs = 5_000;
/** What was slow before is over: it stands in the list of revocations. */
const slowChangeShownMs = 600_000;

/** What needs somebody, the worst first. Empty on a good day. */
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

/** Without these the server is slower, not wrong. Without anything else something is answered 503. */
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

function ofRequests({ keyRequests, requests }: Statistics): Concern[] {
  const concerns: Concern[] = [];
  const { count, p95Ms } = keyRequests.lastMinute;
  if (p95Ms !== null && count >= leastSample && p95Ms > thresholds.keyTargetMs) {
    const isAlert = p95Ms > thresholds.keyAlertMs;
    concerns.push({
      id: 'key duration',
      kind: isAlert ? 'bad' : 'warning',
      title: `Key requests take ${formatDuration(p95Ms)}`,
      advice: `That is the p95 of the last minute. The ${isAlert ? `alert is ${thresholds.keyAlertMs}` : `target is ${thresholds.keyTargetMs}`} ms: look at the load of the machines, and at how the database answers.`,
    });
  }
  const { serverErrorShare, clientErrorShare, count: all } = requests.lastHour;
  if (serverErrorShare !== null && serverErrorShare > thresholds.serverErrorAlert)
    concerns.push({
      id: 'server errors',
      kind: 'bad',
      title: `${formatShare(serverErrorShare)} of requests failed in the last hour`,
      advice:
        'Answers of 5xx; the alert is 0.1 %. The log has one line for each of them, with its status and its code.',
    });
  if (clientErrorShare !== null && all >= leastShareSample && clientErrorShare > thresholds.clientErrorAlert)
    concerns.push({
      id: 'client errors',
      kind: 'warning',
      title: `${formatShare(clientErrorShare)} of requests were refused in the last hour`,
      advice:
        'Answers of 4xx; the alert is 5 %. Expired tokens and revoked leases are the usual reasons: the log has the code of each. Refused acts of management are in the audit.',
      link: { href: '/audit?outcome=refused', label: 'Refused acts' },
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
        title: `${replicas.join(', ')} ${replicas.length === 1 ? 'has' : 'have'} not confirmed what was revoked`,
        advice:
          'Does it reach its database and the bus? Without them it goes by what it knew for 5 s, and then gives no key. Restart it if this stays.',
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
      advice: `${describeChange(slow)}: it should take less than 1 s. Look at the bus, and whether the clocks of the machines agree.`,
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
      advice: 'What it has seen is not in this page. Is it running, and does the gateway reach it?',
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
        'That is the p95 of the last hour, and the target is 2 s. Where key requests are quick, look at the CDN: segments are to be cached forever.',
    },
  ];
}

const links: Record<string, Concern['link']> = {
  API_KEYS_NEVER_EXPIRE: { href: '/api-keys?filter=never-expires', label: 'Those keys' },
};

/** Where in the dashboard something can be done about it. */
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

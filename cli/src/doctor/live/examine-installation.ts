import { refusal } from '../../refusal.ts';
import { showUrl } from '../../show-url.ts';
import { describeMs, describeSkew } from './describe-time.ts';
import {
  judgeKeyRequests,
  judgeOthers,
  judgeRevocations,
  type RevocationFigures,
  readRevocations,
} from './judge-figures.ts';
import { judgeClock, judgeProcesses, type LiveProcess, toProcess } from './judge-processes.ts';
import { judgeReadiness } from './judge-readiness.ts';
import type { LiveFinding } from './live-finding.ts';
import { membersOf } from './members.ts';
import { type LiveAnswer, type LiveServer, readJsonAnswer } from './read-json-answer.ts';

export interface Installation {
  readonly version: string;
  readonly uptimeSeconds: number | null;
  readonly answeredInMs: number;
  readonly ready: boolean;
  /** The server's clock less this machine's; the second number bounds the error. */
  readonly clock: { readonly skewMs: number; readonly accuracyMs: number } | null;
  /** Null without the figures, which need an API key. */
  readonly processes: readonly LiveProcess[] | null;
  readonly revocations: RevocationFigures | null;
  readonly findings: readonly LiveFinding[];
  /** Why the server refused the API key; null if it did not. */
  readonly refused: string | null;
}

/**
 * Reads what a running installation says of itself. Changes nothing.
 *
 * @param apiKey of scope `admin` or `full`; undefined: only what is public
 * @throws AppError `VALIDATION_FAILED` if the server cannot be reached or is not Latchkey
 */
export async function examineInstallation(server: LiveServer, apiKey?: string): Promise<Installation> {
  const health = await readJsonAnswer(server, '/health');
  const { version, uptimeSeconds } = checkHealth(server, health);
  const answeredInMs = health.receivedAt - health.sentAt;
  const [ready, figures] = await Promise.all([
    readOrNull(server, '/ready'),
    apiKey === undefined ? undefined : readOrNull(server, '/api/v1/statistics?steps=1', apiKey),
  ]);
  const { refused, ...read } = readFigures(figures, apiKey !== undefined);
  const clock = compareClock(read.at, figures, health);
  const up = uptimeSeconds === null ? '' : `, up ${describeMs(uptimeSeconds * 1_000)}`;
  const says = `answers as Latchkey ${version}${up}, in ${describeMs(answeredInMs)}`;
  return {
    version,
    uptimeSeconds,
    answeredInMs,
    ready: ready?.status === 200,
    clock,
    processes: read.processes,
    revocations: read.revocations,
    refused,
    findings: [
      { state: 'ok', about: 'server', says },
      ...(ready ? judgeReadiness(ready) : [unansweredReadiness]),
      ...(clock ? [judgeOwnClock(clock)] : []),
      ...read.findings,
    ],
  };
}

const unansweredReadiness: LiveFinding = {
  state: 'wrong',
  about: 'readiness',
  says: 'is unknown: /ready gave no answer',
  mend: 'the process may be stuck: look at its standard error and its processor time',
  topic: 'readiness',
};

function checkHealth({ url }: LiveServer, { status, json, headers }: LiveAnswer) {
  const said = membersOf(json);
  const version = said.text('version');
  if (status === 200 && said.text('status') === 'ok' && version !== null)
    return { version, uptimeSeconds: said.number('uptimeSeconds') };
  const location = headers.get('location');
  const why = location
    ? `it redirects to ${showUrl(location)}; give that address`
    : `/health answered ${status}${status >= 500 ? ', so a proxy in front may have no server behind it' : ''}`;
  throw refusal(`${url} does not answer as Latchkey: ${why}`);
}

const readOrNull = (server: LiveServer, path: string, apiKey?: string) =>
  readJsonAnswer(server, path, apiKey).catch((error: unknown) => {
    server.signal.throwIfAborted();
    void error;
    return null;
  });

interface ReadFigures {
  /** The server's clock, milliseconds since 1970; null without figures. */
  readonly at: number | null;
  readonly processes: readonly LiveProcess[] | null;
  readonly revocations: RevocationFigures | null;
  readonly findings: readonly LiveFinding[];
  readonly refused: string | null;
}

function readFigures(answer: LiveAnswer | null | undefined, hasKey: boolean): ReadFigures {
  const without = (findings: readonly LiveFinding[], refused: string | null = null): ReadFigures => ({
    ...{ at: null, processes: null, revocations: null, findings, refused },
  });
  if (!hasKey) return without([withoutKey]);
  const said = membersOf(answer?.json);
  if (answer?.status === 401 || answer?.status === 403)
    return without(
      [],
      `${answer.status} ${said.text('code') ?? ''}: ${said.text('detail') ?? 'no reason was given'}`,
    );
  const statistics = said.members('statistics');
  const at = Date.parse(statistics.text('at') ?? '');
  if (answer?.status !== 200 || Number.isNaN(at)) return without([withoutFigures(answer ?? null)]);
  const processes = statistics.list('processes').map(toProcess);
  const revocations = readRevocations(statistics.list('changes'), at);
  return {
    ...{ at, processes, revocations, refused: null },
    findings: [
      judgeKeyRequests(statistics.members('keyRequests').members('lastMinute')),
      judgeRevocations(revocations),
      ...judgeProcesses(processes, at),
      ...judgeOthers(statistics),
    ],
  };
}

const withoutKey: LiveFinding = {
  state: 'notice',
  about: 'figures',
  says: 'are not shown without an API key: versions, feed age, revocation delay, clocks and configuration',
  mend: 'set LATCHKEY_API_KEY or LATCHKEY_API_KEY_FILE to a key of scope admin or full',
};

function withoutFigures(answer: LiveAnswer | null): LiveFinding {
  const why = answer ? `answered ${answer.status}` : 'gave no answer';
  return {
    state: 'wrong',
    about: 'figures',
    says: `could not be read: /api/v1/statistics ${why}`,
    mend: 'it needs the auth service and its database; a server of 0.1 has no such figures',
    topic: 'readiness',
  };
}

/**
 * By the time in the figures, which the server read between the question and the answer, so half of the round trip bounds the error. Else
 * by `Date` (RFC 9110 section 6.6.1), which has whole seconds and may be that of a proxy.
 */
function compareClock(
  at: number | null,
  figures: LiveAnswer | null | undefined,
  health: LiveAnswer,
): Installation['clock'] {
  if (at !== null && figures) return skewOf(at, figures, 1);
  const date = Date.parse(health.headers.get('date') ?? '');
  return Number.isNaN(date) ? null : skewOf(date + 500, health, 500);
}

function skewOf(theirs: number, { sentAt, receivedAt }: LiveAnswer, resolutionMs: number) {
  return {
    skewMs: Math.round(theirs - (sentAt + receivedAt) / 2),
    accuracyMs: Math.ceil((receivedAt - sentAt) / 2) + resolutionMs,
  };
}

function judgeOwnClock({ skewMs, accuracyMs }: NonNullable<Installation['clock']>): LiveFinding {
  const { state, mend, topic } = judgeClock(skewMs, accuracyMs);
  return {
    // Not the server's fault: this machine may be the one that is off.
    state: state === 'ok' ? 'ok' : 'warning',
    about: 'clock',
    says: `differs from that of this machine by ${describeSkew(skewMs, accuracyMs)}`,
    ...(mend && { mend }),
    ...(topic && { topic }),
  };
}

import type { z } from 'zod';
import { refusal } from '../../refusal.ts';
import { showUrl } from '../../show-url.ts';
import { type Finding, notice, ok, wrong } from '../finding.ts';
import { figuresForm, healthForm, readinessForm } from './answer-forms.ts';
import { judgeReadiness } from './judge-readiness.ts';
import { describeMs, describeSkew, judgeClock, judgeStatistics } from './judge-statistics.ts';
import { type LiveAnswer, type LiveServer, readJsonAnswer } from './read-json-answer.ts';

/**
 * Reads what a running installation says of itself. Changes nothing.
 *
 * @param apiKey of scope `admin` or `full`; undefined: only what is public
 * @throws AppError `VALIDATION_FAILED` if the server cannot be reached or is not Latchkey
 */
export async function examineInstallation(server: LiveServer, apiKey?: string) {
  const health = await readJsonAnswer(server, '/health', healthForm);
  const { version, uptimeSeconds } = checkHealth(server, health);
  const answeredInMs = health.receivedAt - health.sentAt;
  const [ready, figures] = await Promise.all([
    readOrNull(server, '/ready', readinessForm),
    apiKey === undefined ? undefined : readOrNull(server, '/api/v1/statistics?steps=1', figuresForm, apiKey),
  ]);
  const { findings, ...read } = readFigures(figures);
  const clock = read.clock ?? readDate(health);
  const up = uptimeSeconds === null ? '' : `, up ${describeMs(uptimeSeconds * 1_000)}`;
  const says = `answers as Latchkey ${version}${up}, in ${describeMs(answeredInMs)}`;
  return {
    version,
    uptimeSeconds,
    answeredInMs,
    ready: ready?.status === 200,
    ...read,
    clock,
    findings: [
      ok('server', says),
      ...(ready ? judgeReadiness(ready) : [unansweredReadiness]),
      ...(clock ? [judgeOwnClock(clock)] : []),
      ...findings,
    ],
  };
}

const unansweredReadiness = wrong('readiness', 'is unknown: /ready gave no answer', {
  mend: 'the process may be stuck: look at its standard error and its processor time',
  topic: 'readiness',
});

type Health = LiveAnswer<z.output<typeof healthForm>>;

function checkHealth({ url }: LiveServer, { status, said, headers }: Health) {
  const { version, uptimeSeconds } = said;
  if (status === 200 && said.status === 'ok' && version !== null) return { version, uptimeSeconds };
  const location = headers.get('location');
  const why = location
    ? `it redirects to ${showUrl(location)}; give that address`
    : `/health answered ${status}${status >= 500 ? ', so a proxy in front may have no server behind it' : ''}`;
  throw refusal(`${url} does not answer as Latchkey: ${why}`);
}

const readOrNull = <T>(server: LiveServer, path: string, form: z.ZodType<T>, apiKey?: string) =>
  readJsonAnswer(server, path, form, apiKey).catch(() => {
    server.signal.throwIfAborted();
    return null;
  });

type FiguresAnswer = LiveAnswer<z.output<typeof figuresForm>>;

/**
 * @param answer null if there was none, undefined if there is no API key to ask with
 * @returns null for what is not known. `refused` explains why the server refused the API key, if it did
 */
function readFigures(answer: FiguresAnswer | null | undefined) {
  const none = { clock: null, processes: null, revocations: null, findings: [], refused: null };
  if (answer === undefined) return { ...none, findings: [withoutKey] };
  if (answer === null) return { ...none, findings: [withoutFigures('gave no answer')] };
  const { status, said } = answer;
  if (status === 401 || status === 403) {
    const reason = said.detail ?? 'no reason was given';
    return { ...none, refused: `${status} ${said.code ?? ''}: ${reason}` };
  }
  const { statistics } = said;
  const at = Date.parse(statistics.at ?? '');
  if (status !== 200 || Number.isNaN(at))
    return { ...none, findings: [withoutFigures(`answered ${status}`)] };
  const { processes } = statistics;
  return { clock: skewOf(at, answer, 1), processes, ...judgeStatistics(statistics, at), refused: null };
}

const withoutKey = notice(
  'figures',
  'are not shown without an API key: versions, feed age, revocation delay, clocks and configuration',
  { mend: 'set LATCHKEY_API_KEY or LATCHKEY_API_KEY_FILE to a key of scope admin or full' },
);

function withoutFigures(why: string): Finding {
  const mend = 'it needs the auth service and its database; a server of 0.1 has no such figures';
  return wrong('figures', `could not be read: /api/v1/statistics ${why}`, { mend, topic: 'readiness' });
}

/** `Date` (RFC 9110 section 6.6.1) has whole seconds, and a proxy may have set it. */
function readDate(health: Health) {
  const date = Date.parse(health.headers.get('date') ?? '');
  return Number.isNaN(date) ? null : skewOf(date + 500, health, 500);
}

/** The server's clock less this machine's. It was read between the question and the answer, so half of the round trip bounds the error. */
function skewOf(theirs: number, { sentAt, receivedAt }: LiveAnswer<unknown>, resolutionMs: number) {
  return {
    skewMs: Math.round(theirs - (sentAt + receivedAt) / 2),
    accuracyMs: Math.ceil((receivedAt - sentAt) / 2) + resolutionMs,
  };
}

function judgeOwnClock({ skewMs, accuracyMs }: ReturnType<typeof skewOf>): Finding {
  const judged = judgeClock(skewMs, accuracyMs);
  const says = `differs from the clock of this machine by ${describeSkew(skewMs, accuracyMs)}`;
  // Not the server's fault: this machine may be the one that is off.
  return { ...judged, state: judged.state === 'ok' ? 'ok' : 'warning', says };
}

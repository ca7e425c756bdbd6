import type { IncomingHttpHeaders } from 'node:http';
import type { CallSpan } from '../traces/index.ts';
import { type Address, NotStarted, phaseHeader, Unresponsive, UnsureReplica } from '../upstream/index.ts';
import { internalSecretHeader, refusedHeader } from './internal-gate.ts';

export interface Question {
  method?: 'GET' | 'POST';
  path: string;
  /** With the secret: `secretHeaders`, or the headers of a forwarded request. */
  headers: Record<string, string> | string[];
  body?: string | null;
  /** For the whole answer. */
  limitMs: number;
  /** A limit of the same length that has begun before. The caller ends it. */
  limit?: ReturnType<typeof limitTime>;
  /** Of the call. It ends with the answer. */
  span?: CallSpan | null;
}

/**
 * Aborts with a `TimeoutError`, as `AbortSignal.timeout` does. That one cannot be ended: it made an error and an event for each call, 2 s
 * after its answer, which took a tenth of the time of a service that creates leases.
 *
 * @returns `end` is to be called with the answer
 */
export function limitTime(limitMs: number) {
  const controller = new AbortController();
  const timer = setTimeout(
    () => controller.abort(new DOMException(`no answer within ${limitMs} ms`, 'TimeoutError')),
    limitMs,
  );
  timer.unref();
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}

/** Whatever a service answered, read to its end. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/**
 * Replaces the answer of a service that does not know this process. It is not the client's fault, so it must not become the
 * client's 401.
 */
export class CallerRefused extends Error {
  /** For anyone who may read `/ready`. A wrong secret is for the log alone. */
  readonly publicReason?: string;

  /** @param why as in `refusedHeader` */
  constructor(why: string) {
    const [, fault] = /^certificate (.*)$/.exec(why) ?? [];
    const [reason, mend] =
      fault === undefined
        ? ['it does not know this INTERNAL_SECRET', 'set the same value for the gateway and every service']
        : [
            `it refused the certificate of this process (${fault})`,
            'name one in INTERNAL_TLS_CERT_FILE that a CA in its INTERNAL_TLS_CA_FILE has signed',
          ];
    super(`${reason}: ${mend}`);
    if (fault !== undefined) this.publicReason = reason;
  }
}

export function secretHeaders(secret: string): Record<string, string> {
  return { [internalSecretHeader]: secret };
}

/**
 * Sends one request to one address of a service, and avoids the address if the answer has a phase.
 *
 * @throws NotStarted if nothing was done with it, Unresponsive without a whole answer in time, and undici's errors
 */
export async function ask(address: Address, question: Question): Promise<Answer> {
  const { method = 'GET', path, headers, body = null, limitMs, span } = question;
  const limit = question.limit ?? limitTime(limitMs);
  const { signal } = limit;
  try {
    const answer = await address.pool.request({ method, path, headers, body, signal });
    if (answer.headers[phaseHeader] !== undefined) address.avoid();
    const text = await answer.body.text();
    if (answer.headers[phaseHeader] === 'starting') throw new NotStarted();
    span?.end(answer.statusCode >= 500 ? String(answer.statusCode) : undefined);
    return { status: answer.statusCode, headers: answer.headers, text };
  } catch (error) {
    span?.end('unanswered');
    throw signal.aborted ? new Unresponsive(`it gave no answer within ${limitMs} ms`) : error;
  } finally {
    if (!question.limit) limit.end();
  }
}

/** @returns why the service does not know this process; null if it does */
export function refusalOf({ headers }: Pick<Answer, 'headers'>): CallerRefused | null {
  const why = headers[refusedHeader];
  return why === undefined ? null : new CallerRefused(String(why));
}

/** @returns why the answer is of no use; null for a 200 */
export function faultOf(answer: Answer): Error | null {
  const refusal = refusalOf(answer);
  if (refusal) return refusal;
  if (answer.status === 200) return null;
  if (answer.status === 503 && answer.headers[phaseHeader] === 'unsure') return new UnsureReplica();
  return new Error(
    answer.status === 503
      ? 'it answered 503: it lacks something itself, which its own log and its /ready name'
      : `it answered ${answer.status}`,
  );
}

/** @throws the fault of the answer, or Error if it is not JSON. Its form is still to be checked */
export function readJson(answer: Answer): unknown {
  const fault = faultOf(answer);
  if (fault) throw fault;
  try {
    return JSON.parse(answer.text);
  } catch (cause) {
    throw new Error('its answer is not JSON', { cause });
  }
}

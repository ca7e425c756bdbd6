import { AppError } from '../errors/errors.ts';
import type { CallSpan, Tracer } from '../traces/index.ts';
import { Tries, type Upstream, waitForRoom } from '../upstream/index.ts';
import {
  type Answer,
  ask,
  limitTime,
  readJson,
  refusalOf,
  secretHeaders,
  type TimeLimit,
} from './call-service.ts';

/** Below the 5 s after which a state is unknown, with time for a second address. */
const defaultAnswerTimeoutMs = 2_000;
/** The part of it that a call may wait for a connection: a healthy service answers within the other half, 1 s. */
const waitingPart = 0.5;

/** Calls another service's internal routes. */
export interface InternalClient {
  /**
   * @param parse converts the answer, or throws; answers are not trusted to be well formed
   * @throws AppError DEPENDENCY_UNAVAILABLE for everything but a 200 that can be parsed
   */
  get<T>(path: string, parse: (body: unknown) => T): Promise<T>;
  /** @param headers of the client whose request this is a part of */
  post<T>(
    path: string,
    body: unknown,
    parse: (body: unknown) => T,
    headers?: Readonly<Record<string, string>>,
  ): Promise<T>;
  /**
   * Reads several things by one POST, which is sent to another address in the same cases as a GET. A GET with the same keys in its
   * query could be too long: a head may have 16 KiB, and an id of 128 characters can take 1,152 bytes there.
   *
   * @throws BatchRefused where each of them is to be read alone; otherwise as `get`
   */
  readMany<T>(path: string, body: unknown, parse: (body: unknown) => T): Promise<T>;
}

/** A batch was not answered because of what it is, not because the service is unavailable. Single reads may be answered. */
export class BatchRefused extends Error {
  constructor(why: string) {
    super(`the batch was not answered: ${why}`);
  }
}

/** The statuses for a batch with a wrong key: its form, the length of all keys, or a value that the database refuses. */
const refusals = [400, 413, 500];

interface Call {
  /** A `get` and a `batch` change nothing, so they may be sent to a second address. */
  kind: 'get' | 'batch' | 'change';
  path: string;
  body: unknown;
  headers?: Readonly<Record<string, string>> | undefined;
}

interface InternalClientOptions {
  /** Its name, for the operator. */
  name: string;
  upstream: Upstream;
  secret: string;
  /** Per address. Optional. Default: 2 s. */
  answerTimeoutMs?: number;
  /** Optional. Default: null, which turns traces off. */
  tracer?: Tracer | null;
  /** Called for each call that failed. */
  onFault: (name: string, error: unknown) => void;
}

export function createInternalClient({
  name,
  upstream,
  secret,
  answerTimeoutMs = defaultAnswerTimeoutMs,
  tracer = null,
  onFault,
}: InternalClientOptions): InternalClient {
  async function call(tries: Tries, request: Call): Promise<unknown> {
    for (;;) {
      if (!tries.address) throw upstream.whyLost();
      try {
        return await callOne(tries, request);
      } catch (error) {
        if (!tries.next(error)) throw error;
      }
    }
  }

  async function callOne(tries: Tries, request: Call): Promise<unknown> {
    // One limit for the wait and the answer together.
    const limit = limitTime(answerTimeoutMs);
    try {
      return await callWithin(limit, tries, request);
    } finally {
      limit.end();
    }
  }

  async function callWithin(limit: TimeLimit, tries: Tries, request: Call): Promise<unknown> {
    const { kind, path, body, headers } = request;
    const address = await waitForRoom(upstream, tries, answerTimeoutMs * waitingPart);
    const span = tracer?.call('client', `call ${name}`, {}) ?? null;
    const method = kind === 'get' ? 'GET' : 'POST';
    try {
      const answer = await askWithin(span, address, {
        method,
        path,
        headers: { ...headers, ...headersOf(secret, body !== undefined, span) },
        body: body === undefined ? null : JSON.stringify(body),
        limitMs: answerTimeoutMs,
        limit,
      });
      if (kind === 'batch') throwRefusal(answer);
      return readJson(answer);
    } finally {
      address.release();
    }
  }

  async function parsed<T>(request: Call, parse: (body: unknown) => T): Promise<T> {
    const tries = new Tries(upstream, request.kind !== 'change');
    try {
      return parse(await call(tries, request));
    } catch (cause) {
      // Not a fault of the service: the caller now reads one by one.
      if (cause instanceof BatchRefused) throw cause;
      onFault(name, cause);
      throw unavailable(cause, name, tries);
    }
  }

  return {
    get: (path, parse) => parsed({ kind: 'get', path, body: undefined }, parse),
    post: (path, body, parse, headers) => parsed({ kind: 'change', path, body, headers }, parse),
    readMany: (path, body, parse) => parsed({ kind: 'batch', path, body }, parse),
  };
}

function headersOf(secret: string, hasBody: boolean, span: CallSpan | null): Record<string, string> {
  return {
    ...secretHeaders(secret),
    ...(span && { traceparent: span.traceparent }),
    ...(hasBody && { 'content-type': 'application/json' }),
  };
}

/** As `ask`, and ends the span with it. */
async function askWithin(span: CallSpan | null, ...question: Parameters<typeof ask>): Promise<Answer> {
  try {
    const answer = await ask(...question);
    span?.end(answer.status >= 500 ? String(answer.status) : undefined);
    return answer;
  } catch (error) {
    span?.end('unanswered');
    throw error;
  }
}

function unavailable(cause: unknown, upstream: string, tries: Tries): AppError {
  return new AppError('DEPENDENCY_UNAVAILABLE', { cause, call: { upstream, tries: tries.count() } });
}

/** @throws BatchRefused */
function throwRefusal(answer: Answer): void {
  if (refusalOf(answer) || !refusals.includes(answer.status)) return;
  throw new BatchRefused(`it answered ${answer.status}`);
}

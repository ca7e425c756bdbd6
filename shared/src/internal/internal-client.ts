import { AppError } from '../errors/errors.ts';
import type { Tracer } from '../traces/index.ts';
import { type Address, Tries, type Upstream, waitForRoom } from '../upstream/index.ts';
import { type Answer, ask, limitTime, readJson, refusalOf, secretHeaders } from './call-service.ts';

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

  async function callOne(tries: Tries, { kind, path, body, headers }: Call): Promise<unknown> {
    // One limit for the wait and the answer together.
    const limit = limitTime(answerTimeoutMs);
    let address: Address | null = null;
    try {
      address = await waitForRoom(upstream, tries, answerTimeoutMs * waitingPart);
      const span = tracer?.call('client', `call ${name}`, {}) ?? null;
      const answer = await ask(address, {
        method: kind === 'get' ? 'GET' : 'POST',
        path,
        headers: {
          ...headers,
          ...secretHeaders(secret),
          ...(span && { traceparent: span.traceparent }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        limitMs: answerTimeoutMs,
        limit,
        span,
      });
      if (kind === 'batch') throwRefusal(answer);
      return readJson(answer);
    } finally {
      limit.end();
      address?.release();
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
      throw new AppError('DEPENDENCY_UNAVAILABLE', { cause, call: { upstream: name, tries: tries.count() } });
    }
  }

  return {
    get: (path, parse) => parsed({ kind: 'get', path, body: undefined }, parse),
    post: (path, body, parse, headers) => parsed({ kind: 'change', path, body, headers }, parse),
    readMany: (path, body, parse) => parsed({ kind: 'batch', path, body }, parse),
  };
}

/** @throws BatchRefused */
function throwRefusal(answer: Answer): void {
  if (refusalOf(answer) || !refusals.includes(answer.status)) return;
  throw new BatchRefused(`it answered ${answer.status}`);
}

import { AppError } from '../errors/errors.ts';
import { Tries, type Upstream, waitForRoom } from '../upstream/index.ts';
import { ask, readJson, secretHeaders } from './ask.ts';

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
  post<T>(path: string, body: unknown, parse: (body: unknown) => T): Promise<T>;
}

interface InternalClientOptions {
  /** Its name, for the operator. */
  name: string;
  upstream: Upstream;
  secret: string;
  /** Per address; 2 s where it is left out. */
  answerTimeoutMs?: number;
  /** Called for each call that failed. */
  onFault: (name: string, error: unknown) => void;
}

export function createInternalClient({
  name,
  upstream,
  secret,
  answerTimeoutMs = defaultAnswerTimeoutMs,
  onFault,
}: InternalClientOptions): InternalClient {
  async function call(method: 'GET' | 'POST', path: string, body: unknown): Promise<unknown> {
    const tries = new Tries(upstream, method === 'GET');
    for (;;) {
      if (!tries.member) throw new Error(upstream.size() > 0 ? 'no address is alive' : 'no address is known');
      try {
        return await callOne(tries, method, path, body);
      } catch (error) {
        if (!tries.next(error)) throw error;
      }
    }
  }

  async function callOne(
    tries: Tries,
    method: 'GET' | 'POST',
    path: string,
    body: unknown,
  ): Promise<unknown> {
    // One limit for the wait and the answer together.
    const signal = AbortSignal.timeout(answerTimeoutMs);
    const member = await waitForRoom(upstream, tries, answerTimeoutMs * waitingPart);
    const headers = secretHeaders(secret);
    if (body !== undefined) headers['content-type'] = 'application/json';
    const text = body === undefined ? null : JSON.stringify(body);
    try {
      return readJson(
        await ask(member, { method, path, headers, body: text, limitMs: answerTimeoutMs, signal }),
      );
    } finally {
      member.release();
    }
  }

  async function parsed<T>(answer: Promise<unknown>, parse: (body: unknown) => T): Promise<T> {
    try {
      return parse(await answer);
    } catch (cause) {
      onFault(name, cause);
      throw new AppError('DEPENDENCY_UNAVAILABLE', { cause });
    }
  }

  return {
    get: (path, parse) => parsed(call('GET', path, undefined), parse),
    post: (path, body, parse) => parsed(call('POST', path, body), parse),
  };
}

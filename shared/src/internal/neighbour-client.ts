import { AppError } from '../errors/index.ts';
import { brokeBeforeAnswer, NotBegun, neverReached, phaseHeader, type Upstream } from '../upstream/index.ts';
import { internalSecretHeader } from './neighbour-gate.ts';

/** Under the 5 s after which a state is unknown, with room for a second address. */
const defaultAnswerTimeoutMs = 2_000;
/** Addresses that are tried before the neighbour counts as lost. */
const addressesTried = 3;

/** Asks a neighbour's internal routes. */
export interface NeighbourClient {
  /**
   * @param parse makes the answer what it should be, or throws; an answer is not believed to be well formed
   * @throws AppError DEPENDENCY_UNAVAILABLE for everything but a 200 that can be parsed
   */
  get<T>(path: string, parse: (body: unknown) => T): Promise<T>;
  post<T>(path: string, body: unknown, parse: (body: unknown) => T): Promise<T>;
}

export interface NeighbourClientOptions {
  /** Its name, for the operator. */
  name: string;
  upstream: Upstream;
  secret: string;
  /** Per address; 2 s where it is left out. */
  answerTimeoutMs?: number;
  /** Hears of each question that failed. */
  onFault: (name: string, error: unknown) => void;
}

export function createNeighbourClient({
  name,
  upstream,
  secret,
  answerTimeoutMs = defaultAnswerTimeoutMs,
  onFault,
}: NeighbourClientOptions): NeighbourClient {
  async function ask(method: 'GET' | 'POST', path: string, body: unknown): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      const member = upstream.pick();
      if (!member) throw new Error('no address is known');
      try {
        const answer = await member.pool.request({
          method,
          path,
          headers: {
            [internalSecretHeader]: secret,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          body: body === undefined ? null : JSON.stringify(body),
          signal: AbortSignal.timeout(answerTimeoutMs),
        });
        if (answer.headers[phaseHeader] === 'ending') member.retire();
        if (answer.statusCode === 200) return await answer.body.json();
        await answer.body.dump();
        if (answer.headers[phaseHeader] === 'starting') throw new NotBegun();
        throw new Error(`it answered ${answer.statusCode}`);
      } catch (error) {
        const unsent = neverReached(error);
        if (unsent || isTimeout(error) || brokeBeforeAnswer(error)) member.penalize();
        if (!unsent && (method !== 'GET' || !brokeBeforeAnswer(error))) throw error;
        if (attempt === addressesTried) throw error;
      }
    }
  }

  async function asked<T>(answer: Promise<unknown>, parse: (body: unknown) => T): Promise<T> {
    try {
      return parse(await answer);
    } catch (cause) {
      onFault(name, cause);
      throw new AppError('DEPENDENCY_UNAVAILABLE', { cause });
    }
  }

  return {
    get: (path, parse) => asked(ask('GET', path, undefined), parse),
    post: (path, body, parse) => asked(ask('POST', path, body), parse),
  };
}

/** What `AbortSignal.timeout` aborts with. */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../clock/clock.ts';
import type { Database, Transaction } from '../db/index.ts';
import { AppError } from '../errors/errors.ts';
import type { Ledger, LedgerEntry } from '../events/index.ts';
import { type KeyedRequest, readKeyedRequest } from './idempotency-key.ts';
import { claimIds, findAnswers, type IdempotencyTable, keepAnswers } from './kept-answers.ts';

interface Answer<Body> {
  status: number;
  body: Body;
}

/** The key of an act, and the answer that is kept in its transaction. */
export interface Once<Result> extends KeyedRequest {
  table: IdempotencyTable;
  /** The body that is kept, as JSON, and its status. */
  answerOf(result: Result): { status: number; answer: string };
}

interface Act<Result, Body> {
  /** @param once if the request has a key: the act claims it and keeps its answer in its own transaction (`writeOnce`) */
  act(once: Once<Result> | undefined): Promise<Result>;
  answerOf(result: Result): Answer<Body>;
  /** The body with null in place of what is shown only once. */
  hideSecrets?: (body: Body) => unknown;
}

/** Answers a request. The body is what the route returns. */
type AnswerOnce = <Result, Body>(
  request: FastifyRequest,
  reply: Pick<FastifyReply, 'code' | 'header'>,
  act: Act<Result, Body>,
) => Promise<Body>;

/**
 * For a route that answers a repeat with the same `Idempotency-Key` as the first time (`docs/reference/contract.md#repeated-requests`). Call it
 * before anything that may have changed since is checked.
 *
 * The row with the answer is written in the transaction of the act: both exist or neither. While the act is under way, a repeat gets
 * 409. Within a process a set tells so, because SQLite has one writer and the repeat would wait for it. Between processes on Postgres it
 * is a lock that ends with the transaction. A refusal keeps nothing, so that a repeat may succeed.
 */
export function createAnswerOnce(
  { db, clock }: { db: Database; clock: Clock },
  table: IdempotencyTable,
): AnswerOnce {
  const underWay = new Set<string>();
  return async (request, reply, { act, answerOf, hideSecrets = (body) => body }) => {
    const keyed = readKeyedRequest(request);
    const answer = await (keyed ? answerKeyed(keyed) : act(undefined).then(answerOf));
    reply.code(answer.status);
    return answer.body;

    async function answerKeyed({ id, bodyHash }: KeyedRequest) {
      if (underWay.has(id)) throw keyInUse();
      underWay.add(id);
      try {
        const kept = (await findAnswers(db, table, [id], clock.now())).get(id);
        if (kept && kept.bodyHash !== bodyHash) throw keyReused();
        if (kept) {
          reply.header('idempotent-replayed', 'true');
          return { status: kept.status, body: JSON.parse(kept.answer) };
        }
        const result = await act({
          ...{ table, id, bodyHash },
          answerOf(result) {
            const { status, body } = answerOf(result);
            return { status, answer: JSON.stringify(hideSecrets(body)) };
          },
        });
        return answerOf(result);
      } finally {
        underWay.delete(id);
      }
    }
  };
}

/**
 * Writes an act and its answer in one transaction.
 *
 * @param once undefined for a request without a key: only the act is written
 * @throws AppError IDEMPOTENCY_KEY_IN_USE if another transaction has the key, or had it a moment ago
 */
export function writeOnce<DB, Result>(
  ledger: Ledger<DB>,
  once: Once<Result> | undefined,
  work: (entry: LedgerEntry<DB>) => Promise<Result>,
): Promise<Result> {
  if (!once) return ledger.write(work);
  const { table, id, bodyHash, answerOf } = once;
  return ledger.write(async (entry) => {
    const tx = entry.tx as unknown as Transaction;
    const [isFree] = await claimIds(tx, table, [id], entry.now);
    if (!isFree) throw keyInUse();
    const result = await work(entry);
    await keepAnswers(tx, table, [{ id, bodyHash, ...answerOf(result) }], entry.now);
    return result;
  });
}

/** Seconds. An act takes milliseconds. */
const retryAfterSeconds = 1;

export function keyInUse(): AppError {
  return new AppError('IDEMPOTENCY_KEY_IN_USE', {
    detail: 'A request with this Idempotency-Key is under way. Repeat yours in a moment to get its answer.',
    retryAfterSeconds,
  });
}

function keyReused(): AppError {
  return new AppError('IDEMPOTENCY_KEY_REUSED', {
    detail: 'This Idempotency-Key was sent with another body. Use a new key for each new request.',
  });
}

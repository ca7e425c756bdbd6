import { toAuditRecord } from '@latchkey/shared/audit';
import { inTransaction, tryLockSubject } from '@latchkey/shared/db';
import type { AuditSink } from './audit-sink.ts';
import type { Database, Transaction } from './own-tables.ts';
import { readFinalRows, readPlace, readRows, storePlace } from './read-final-rows.ts';

/** Some 200 KB, written at once. */
const rowsAtOnce = 500;
/** How long other processes leave alone what one sends: twice what a sink may take. After a crash it is sent again then. */
const turnMs = 20_000;

interface ForwarderOptions {
  db: Database;
  clock: { now(): number };
  sink: AuditSink;
  signal: AbortSignal;
}

interface AuditForwarder {
  /**
   * Sends all rows that are ready.
   *
   * @returns how many rows were sent
   */
  run(): Promise<number>;
}

/** Rows that this process sends. */
interface Turn {
  lines: string[];
  /** How many rows are confirmed once they are. */
  sent: number;
  since: number;
}

/**
 * Sends rows to a sink as JSON lines, once nobody changes them any more, each with a number: 1, 2, 3, and so on. What is to be sent, and with
 * which numbers, is stored before. So after a crash or a failure the same lines are sent again, and a number that is missing shows a lost one.
 */
export function createAuditForwarder({ db, clock, sink, signal }: ForwarderOptions): AuditForwarder {
  /** When the turn of this process began: it goes on with it at once. */
  let ownSince = 0;
  return {
    async run() {
      let count = 0;
      while (!signal.aborted) {
        const turn = await inTransaction(db, (tx) => takeTurn(tx, clock.now(), ownSince));
        if (turn === null) break;
        ownSince = turn.since;
        if (turn.lines.length > 0) await sink.write(turn.lines);
        await confirm(db, turn);
        count += turn.lines.length;
      }
      return count;
    },
  };
}

/** @returns null where nothing is to be sent, or another process sends */
async function takeTurn(tx: Transaction, now: number, ownSince: number): Promise<Turn | null> {
  if (!(await tryLockSubject(tx, 'audit-forwarding'))) return null;
  const state = await forwarding(tx).executeTakeFirstOrThrow();
  const begun: number[] = JSON.parse(state.sending);
  const isOthers = state.sending_since !== ownSince && Math.abs(now - state.sending_since) < turnMs;
  if (begun.length > 0 && isOthers) return null;
  const numbers = begun.length > 0 ? begun : await chooseRows(tx, now);
  if (numbers.length === 0) return null;
  await tx
    .updateTable('audit_readers')
    .set({ sending: JSON.stringify(numbers), sending_since: now })
    .where('name', '=', 'forwarding')
    .execute();
  const rows = await readRows(tx, numbers);
  // A row that somebody has removed past the services leaves a gap.
  const lines = numbers.flatMap((number, n) => {
    const row = rows.get(number);
    return row ? [JSON.stringify({ ...toAuditRecord(row), number: state.sent + n + 1 })] : [];
  });
  return { lines, sent: state.sent + numbers.length, since: now };
}

function forwarding(db: Database | Transaction) {
  return db
    .selectFrom('audit_readers')
    .select(['passed', 'waiting', 'sent', 'sending', 'sending_since'])
    .where('name', '=', 'forwarding');
}

/** @returns the numbers of the next rows, which count as read from now on */
async function chooseRows(tx: Transaction, now: number): Promise<number[]> {
  for (;;) {
    const place = await readPlace(tx, 'forwarding');
    const { rows, next, isMore } = await readFinalRows(tx, place, { now, limit: rowsAtOnce });
    if (next !== place) await storePlace(tx, 'forwarding', next);
    if (rows.length > 0 || !isMore) return rows.map(({ number }) => number);
  }
}

/** Where another process has taken the turn meanwhile, it sends the lines again. */
async function confirm(db: Database, { sent, since }: Turn): Promise<void> {
  await db
    .updateTable('audit_readers')
    .set({ sent, sending: '[]' })
    .where('name', '=', 'forwarding')
    .where('sending_since', '=', since)
    .execute();
}

/** The lowest number of the audit that the sink has not confirmed. */
export async function readFirstUnsent(db: Database): Promise<number> {
  const { passed, sending, waiting } = await forwarding(db).executeTakeFirstOrThrow();
  const awaited: [number, number][] = JSON.parse(waiting);
  return Math.min(passed + 1, ...JSON.parse(sending), ...awaited.map(([number]) => number));
}

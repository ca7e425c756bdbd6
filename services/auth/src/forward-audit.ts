import { toAuditRecord } from '@latchkey/shared/audit';
import type { AuditSink } from './audit-sink.ts';
import type { Database } from './own-tables.ts';
import { readFinalRows, readPlace, storePlace } from './read-final-rows.ts';

/** Some 200 KB, written at once. */
const rowsAtOnce = 500;

interface ForwardOptions {
  db: Database;
  clock: { now(): number };
  sink: AuditSink;
  signal: AbortSignal;
}

/**
 * Sends rows to a sink as JSON lines, once nobody changes them any more. The place is stored after the sink has taken them, so each row is
 * sent at least once, and again after a crash in between.
 *
 * @returns how many rows were sent
 */
export async function forwardAudit({ db, clock, sink, signal }: ForwardOptions): Promise<number> {
  let sent = 0;
  for (let isMore = true; isMore && !signal.aborted; ) {
    const place = await readPlace(db, 'forwarding');
    const read = await readFinalRows(db, place, { now: clock.now(), limit: rowsAtOnce });
    if (read.rows.length > 0) await sink.write(read.rows.map((row) => JSON.stringify(toAuditRecord(row))));
    if (read.next !== place) await storePlace(db, 'forwarding', read.next);
    sent += read.rows.length;
    isMore = read.isMore;
  }
  return sent;
}

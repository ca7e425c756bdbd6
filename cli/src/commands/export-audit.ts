import { toAuditRecord } from '@latchkey/shared/audit';
import type { Clock } from '@latchkey/shared/clock';
import type { Database } from '@latchkey/shared/db';
import { createInProcessBus } from '@latchkey/shared/events';
import { createLedger } from '@latchkey/shared/events/database';
import { instantOf } from '@latchkey/shared/http';

/** Some 500 KB of text. */
const rowsPerPage = 1_000;

/** Milliseconds since 1970: rows from `since` on and before `until`; null has no bound. */
interface Range {
  since: number | null;
  until: number | null;
}

/**
 * The rows of the audit as JSON lines, oldest first, a page at a time. Each line is a record of `GET /api/v1/audit`. The export is audited
 * before its first row is read.
 */
export async function* exportAudit(db: Database, range: Range, clock: Clock): AsyncGenerator<string, void> {
  await recordExport(db, range, clock);
  let last = { at: range.since ?? 0, number: 0 };
  for (;;) {
    const rows = await db
      .selectFrom('audit')
      .selectAll()
      // The first bound is for the index of times.
      .where('at', '>=', last.at)
      .where((eb) => eb(eb.refTuple('at', 'number'), '>', eb.tuple(last.at, last.number)))
      .$if(range.until !== null, (query) => query.where('at', '<', range.until ?? 0))
      .orderBy('at')
      .orderBy('number')
      .limit(rowsPerPage)
      .execute();
    if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(toAuditRecord(row))}\n`).join('');
    const end = rows.at(-1);
    if (!end || rows.length < rowsPerPage) return;
    last = { at: end.at, number: end.number };
  }
}

async function recordExport(db: Database, { since, until }: Range, clock: Clock): Promise<void> {
  const ledger = createLedger({ db, bus: createInProcessBus(() => {}), clock });
  const bounds = [
    'format=jsonl',
    ...(since === null ? [] : [`from=${instantOf(since)}`]),
    ...(until === null ? [] : [`to=${instantOf(until)}`]),
  ];
  await ledger.write(({ audit }) =>
    audit({
      actor: { kind: 'operator', id: null },
      action: 'audit.export',
      target: bounds.join(' '),
      clientIp: null,
      requestId: null,
      outcome: 'done',
      code: null,
    }),
  );
}

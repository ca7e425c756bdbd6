import { once } from 'node:events';
import { toAuditRecord } from '@latchkey/shared/audit';
import type { Clock } from '@latchkey/shared/clock';
import type { Database } from '@latchkey/shared/db';
import { createInProcessBus } from '@latchkey/shared/events';
import { createLedger } from '@latchkey/shared/events/database';
import { instantOf, readInstant } from '@latchkey/shared/http';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { withDatabase } from '../with-database.ts';

/** `latchkey audit export`. */
export function registerAudit(program: Command, context: CommandContext): void {
  const audit = program.command('audit').description('the audit, straight from the database');
  audit
    .command('export')
    .description('write the rows of the audit to standard output, as JSON lines, oldest first')
    .option('--since <time>', 'rows from this time on: ISO 8601 with an offset, such as 2027-01-31T12:00:00Z')
    .option('--until <time>', 'rows before this time')
    .addHelpText('after', '\nThe export itself is a row of the audit.')
    .action((options: { since?: string; until?: string }) => runExport(options, context));
}

async function runExport(
  { since, until }: { since?: string; until?: string },
  { env, stdout, clock }: CommandContext,
): Promise<void> {
  const range = {
    since: since === undefined ? null : readInstant(since, '--since'),
    until: until === undefined ? null : readInstant(until, '--until'),
  };
  await withDatabase(env, { mayCreate: false, longStatements: true }, async (db) => {
    await recordExport(db, range, clock);
    for await (const piece of readRows(db, range)) {
      // A pipe whose reader is slow: more in memory would help nobody.
      if (stdout.write(piece) === false) await once(stdout as NodeJS.WriteStream, 'drain');
    }
  });
}

/** Some 500 KB of text. */
const rowsPerPage = 1_000;

/** Milliseconds since 1970: rows from `since` on and before `until`; null has no bound. */
interface Range {
  since: number | null;
  until: number | null;
}

/** The rows of the audit as JSON lines, oldest first, a page at a time. Each line is a record of `GET /api/v1/audit`. */
async function* readRows(db: Database, range: Range): AsyncGenerator<string, void> {
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

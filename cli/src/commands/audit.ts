import { once } from 'node:events';
import { toAuditRecord } from '@latchkey/shared/audit';
import type { Database } from '@latchkey/shared/db';
import { createInProcessBus } from '@latchkey/shared/events';
import { createLedger } from '@latchkey/shared/events/database';
import { instantOf, readInstant } from '@latchkey/shared/http';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { withDatabase } from '../with-database.ts';

/** `latchkey audit export`. */
export function registerAudit(program: Command, { env, stdout, clock }: CommandContext): void {
  const audit = program.command('audit').description('the audit, straight from the database');
  audit
    .command('export')
    .description('write the rows of the audit to standard output, as JSON lines, oldest first')
    .option(
      '--since <time>',
      'rows from this time on: ISO 8601 with an offset, such as 2027-01-31T12:00:00Z',
      (text) => readInstant(text, '--since'),
    )
    .option('--until <time>', 'rows before this time', (text) => readInstant(text, '--until'))
    .addHelpText('after', '\nThe export itself is a row of the audit.')
    .action(async (range: Range) => {
      const { since, until } = range;
      const target = [
        'format=jsonl',
        ...(since === undefined ? [] : [`from=${instantOf(since)}`]),
        ...(until === undefined ? [] : [`to=${instantOf(until)}`]),
      ].join(' ');
      await withDatabase(env, { mayCreate: false, longStatements: true }, async (db) => {
        const ledger = createLedger({ db, bus: createInProcessBus(() => {}), clock });
        const act = { actor: { kind: 'operator', id: null }, clientIp: null, requestId: null } as const;
        await ledger.write(({ audit }) =>
          audit({ ...act, action: 'audit.export', target, outcome: 'done', code: null }),
        );
        for await (const piece of readRows(db, range)) {
          // A pipe whose reader is slow: more in memory would help nobody.
          if (stdout.write(piece) === false) await once(stdout as NodeJS.WriteStream, 'drain');
        }
      });
    });
}

/** Some 500 KB of text. */
const rowsPerPage = 1_000;

/** Milliseconds since 1970: rows from `since` on and before `until`. */
interface Range {
  since?: number;
  until?: number;
}

/** The rows of the audit as JSON lines, oldest first, a page at a time. Each line is a record of `GET /api/v1/audit`. */
async function* readRows(
  db: Database,
  { since = 0, until = Number.MAX_SAFE_INTEGER }: Range,
): AsyncGenerator<string, void> {
  let last = { at: since, number: 0 };
  for (;;) {
    const rows = await db
      .selectFrom('audit')
      .selectAll()
      // The first bound is for the index of times.
      .where('at', '>=', last.at)
      .where((eb) => eb(eb.refTuple('at', 'number'), '>', eb.tuple(last.at, last.number)))
      .where('at', '<', until)
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

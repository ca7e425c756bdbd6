import { readFileSync } from 'node:fs';
import { type Anchor, chainNames, verifyAudit } from '@latchkey/shared/audit';
import { auditVariables, readConfig } from '@latchkey/shared/config';
import type { Database } from '@latchkey/shared/db';
import { instantOf, readInstant } from '@latchkey/shared/http';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { refusal } from '../refusal.ts';
import { withDatabase } from '../with-database.ts';
import { exportAudit } from './export-audit.ts';

interface VerifyCommand {
  expect?: string[];
  expectFile?: string;
}

interface ExportCommand {
  since?: string;
  until?: string;
}

/** `latchkey audit verify` and `latchkey audit export`. */
export function registerAudit(program: Command, context: CommandContext): void {
  const audit = program.command('audit').description('the audit, straight from the database');
  audit
    .command('verify')
    .description('check that no row of the audit was changed, removed or reordered since it was chained')
    .option('--expect <anchors...>', 'anchors that an earlier run printed, such as acts:120:9f…')
    .option('--expect-file <file>', 'a file with such anchors, or with forwarded or exported JSON lines')
    .addHelpText(
      'after',
      `
Set AUDIT_CHAIN_SECRET as the server has it. Standard output gets one anchor for each chain: keep it where nobody who writes to the
database reaches it, and give it to a later run, which then also finds a chain that was cut at its end or written anew
(docs/audit.md). Exit code 1: something was found.`,
    )
    .action((options: VerifyCommand) => runVerify(options, context));
  audit
    .command('export')
    .description('write the rows of the audit to standard output, as JSON lines, oldest first')
    .option('--since <time>', 'rows from this time on: ISO 8601 with an offset, such as 2027-01-31T12:00:00Z')
    .option('--until <time>', 'rows before this time')
    .addHelpText('after', '\nThe export itself is a row of the audit.')
    .action((options: ExportCommand) => runExport(options, context));
}

async function runVerify(options: VerifyCommand, { env, stdout, stderr }: CommandContext): Promise<void> {
  const anchors = [...(options.expect ?? []).map(readAnchor), ...readAnchorFile(options.expectFile)];
  const { values } = readConfig({ auditChainSecret: auditVariables.auditChainSecret }, env);
  const secret = values.auditChainSecret?.reveal() ?? null;
  let findings = 0;
  let unkeyed = 0;
  await withDatabase(env, { mayCreate: false, longStatements: true }, async (db) => {
    const result = await verifyAudit({
      db,
      secret,
      anchors,
      onFinding(finding) {
        findings++;
        stderr.write(`${finding}\n`);
      },
    });
    for (const chain of result.chains) {
      unkeyed += secret === null ? chain.checked : chain.unkeyed;
      stdout.write(`${chain.chain}:${chain.place}:${chain.hash}\n`);
      stderr.write(`${describeChain(chain)}\n`);
    }
    if (result.waiting > 0)
      stderr.write(
        `${result.waiting} rows wait to be chained. The auth service does it within seconds; groups of refusals take two minutes.\n`,
      );
  });
  if (findings > 0) throw refusalOfFindings(findings);
  stderr.write(`Nothing was found.\n${describeLimits(unkeyed)}`);
}

/** The changes that verification cannot find: an operator must not take silence for a proof. @param unkeyed places that anybody can have made */
function describeLimits(unkeyed: number): string {
  const anew =
    unkeyed === 0
      ? ''
      : `Without an anchor this does not find a chain that was written anew as a whole without the secret: ${unkeyed} ${unkeyed === 1 ? 'place is' : 'places are'} like that. With AUDIT_CHAIN_SECRET set since the first start there are none.\n`;
  return `${anew}It never finds rows that were added, or changed before they were chained, and an end that was cut off only with an anchor (docs/audit.md).\n`;
}

const refusalOfFindings = (count: number) =>
  new Error(`the audit is not what was chained: ${count} ${count === 1 ? 'finding' : 'findings'}`);

type Verified = Awaited<ReturnType<typeof verifyAudit>>['chains'][number];

function describeChain({ chain, checked, unkeyed, cutPlace, cutAt, cutNewest }: Verified): string {
  const cut =
    cutPlace === 0
      ? ''
      : `; the retention removed places up to ${cutPlace}, last on ${instantOf(cutAt ?? 0)} a row of ${instantOf(cutNewest ?? 0)}`;
  const without = unkeyed === 0 ? '' : `; ${unkeyed} of them without the secret`;
  return `${chain}: ${checked} places checked${without}${cut}.`;
}

const anchorForm = /^(acts|refusals|strangers):(\d{1,15}):([0-9a-f]{64}|)$/;

/** @throws AppError for a text of another form */
function readAnchor(text: string): Anchor {
  const [, chain, place, hash = ''] = anchorForm.exec(text) ?? [];
  const known = chainNames.find((name) => name === chain);
  if (!known)
    throw refusal(
      `${text.slice(0, 100)} is no anchor. Accepted: chain:place:hash, as latchkey audit verify prints it`,
    );
  return { chain: known, place: Number(place), hash };
}

/** The last place of each chain: of anchors, or of JSON lines with `chain`, `place` and `hash`. */
function readAnchorFile(path: string | undefined): Anchor[] {
  if (path === undefined) return [];
  const last = new Map<string, Anchor>();
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const anchor = line.startsWith('{')
      ? readAnchorLine(line)
      : line.trim() === ''
        ? null
        : readAnchor(line.trim());
    if (anchor && anchor.place > (last.get(anchor.chain)?.place ?? 0)) last.set(anchor.chain, anchor);
  }
  return [...last.values()];
}

/** Half a line, as a full disk leaves it, holds no anchor. */
function readAnchorLine(line: string): Anchor | null {
  try {
    const { chain, place, hash } = JSON.parse(line) as Record<string, unknown>;
    return chain === null ? null : readAnchor(`${chain}:${place}:${hash}`);
  } catch {
    return null;
  }
}

async function runExport(options: ExportCommand, context: CommandContext): Promise<void> {
  const { env, stdout, clock } = context;
  const range = {
    since: options.since === undefined ? null : readInstant(options.since, '--since'),
    until: options.until === undefined ? null : readInstant(options.until, '--until'),
  };
  await withDatabase(env, { mayCreate: false, longStatements: true }, async (db: Database) => {
    for await (const piece of exportAudit(db, range, clock)) {
      // A pipe whose reader is slow: more in memory would help nobody.
      if (stdout.write(piece) === false) await drained(stdout);
    }
  });
}

async function drained(output: { write(text: string): unknown }): Promise<void> {
  const stream = output as NodeJS.WriteStream;
  if (typeof stream.once === 'function')
    await new Promise((resolve) => stream.once('drain', () => resolve(null)));
}

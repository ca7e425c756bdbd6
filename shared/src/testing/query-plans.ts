import { CompiledQuery, type QueryId, type RootOperationNode } from 'kysely';
import { type Database, isPostgres } from '../db/index.ts';

/** The database's plan for one statement. */
export interface QueryPlan {
  sql: string;
  /** One line for each step, as the database words it. */
  steps: string[];
  /** The steps that read a table from end to end. */
  tableScans: string[];
  /** The steps that walk through an index without a condition on it: to its end, unless a limit stops them. */
  indexScans: IndexScan[];
}

interface IndexScan {
  index: string;
  /** Entries visited, including entries that a filter removed; null on SQLite, which does not count them. */
  entries: number | null;
}

/** A search that may walk through an index. */
export interface AllowedScan {
  index: string;
  /** Maximum number of entries that it may visit. */
  entriesAtMost: number;
}

/**
 * Reads of these queries that none of the allowed scans covers: each table read from end to end, and each index that is
 * walked without permission or further than permitted. A covering index over all rows is as long as its table.
 */
export function findUnboundedScans(plans: readonly QueryPlan[], allowed: readonly AllowedScan[]): string[] {
  const isAllowed = ({ index, entries }: IndexScan) =>
    allowed.some((scan) => scan.index === index && (entries ?? 0) <= scan.entriesAtMost);
  return plans.flatMap(({ tableScans, indexScans }) => [
    ...tableScans,
    ...indexScans
      .filter((scan) => !isAllowed(scan))
      .map(({ index, entries }) => `${index}: ${entries ?? 'all'} entries`),
  ]);
}

/**
 * Runs the work and asks the database for the plan of each of its queries: of exactly the statements, with their values,
 * that were sent. Only statements on the passed database are seen.
 */
export async function planQueries(
  db: Database,
  work: (watched: Database) => Promise<unknown>,
): Promise<QueryPlan[]> {
  const queries: CompiledQuery[] = [];
  const nodes = new WeakMap<QueryId, RootOperationNode>();
  const executor = db.getExecutor();
  await work(
    db.withPlugin({
      // Also called for parts of a query; only a statement that was sent has a result.
      transformQuery({ node, queryId }) {
        nodes.set(queryId, node);
        return node;
      },
      async transformResult({ queryId, result }) {
        const node = nodes.get(queryId);
        if (node) queries.push(executor.compileQuery(node, queryId));
        return result;
      },
    }),
  );

  const plans: QueryPlan[] = [];
  for (const { sql, parameters } of queries) {
    const steps = await (isPostgres(db) ? explainPostgres : explainSqlite)(db, sql, parameters);
    plans.push({ sql, ...steps });
  }
  return plans;
}

type Steps = Pick<QueryPlan, 'steps' | 'tableScans' | 'indexScans'>;

async function explainSqlite(db: Database, sql: string, parameters: readonly unknown[]): Promise<Steps> {
  const query = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
  const { rows } = await db.executeQuery<{ detail: string }>(query);
  const steps = rows.map(({ detail }) => detail);
  // A scan of a result within the query is not a scan of a table.
  const results = steps.flatMap((step) => /^(?:CO-ROUTINE|MATERIALIZE) (\w+)$/.exec(step)?.[1] ?? []);
  const scans = steps.filter((step) => {
    const scanned = /^SCAN (\w+)$/.exec(step)?.[1];
    return scanned !== undefined && !['SUBQUERY', 'CONSTANT', ...results].includes(scanned);
  });
  const indexScans = steps.flatMap((step) => {
    const index = /^SCAN \w+ USING (?:COVERING )?INDEX (\w+)/.exec(step)?.[1];
    return index === undefined ? [] : [{ index, entries: null }];
  });
  return { steps, tableScans: scans, indexScans };
}

interface PostgresStep {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PostgresStep[];
}

async function explainPostgres(db: Database, sql: string, parameters: readonly unknown[]): Promise<Steps> {
  // With `analyze` the query runs again: only for statements that change nothing.
  const query = CompiledQuery.raw(`explain (analyze, timing off, format json) ${sql}`, [...parameters]);
  const { rows } = await db.executeQuery<{ 'QUERY PLAN': { Plan: PostgresStep }[] }>(query);
  const all = rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => flatten(Plan)));
  const steps = all.map(describeStep);
  const indexScans = all.flatMap((step) => {
    const { 'Index Name': index, 'Index Cond': condition, 'Actual Loops': loops } = step;
    if (index === undefined || condition !== undefined) return [];
    // Both settings exclude methods for one loop.
    return [{ index, entries: (step['Actual Rows'] + (step['Rows Removed by Filter'] ?? 0)) * loops }];
  });
  return { steps, tableScans: steps.filter((step) => step.startsWith('Seq Scan')), indexScans };
}

function flatten(step: PostgresStep): PostgresStep[] {
  return [step, ...(step.Plans ?? []).flatMap(flatten)];
}

function describeStep(step: PostgresStep): string {
  const where = [step['Relation Name'], step['Index Name']].filter((name) => name !== undefined).join(' by ');
  return `${step['Node Type']} ${where}`.trim();
}

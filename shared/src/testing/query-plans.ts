import { CompiledQuery, type QueryId, type RootOperationNode } from 'kysely';
import type { Database } from '../db/index.ts';

/** How the database answers one statement. */
export interface QueryPlan {
  sql: string;
  /** One line for each step, as the database words it. */
  steps: string[];
  /** The steps that read a table from end to end. */
  tableScans: string[];
}

/**
 * Runs the work and asks the database how it answered each of its queries: of the very statements, with their values, that
 * were sent. Only what goes through the database that the work is given is seen.
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
      // Called for what a query has inside of it, too; only what was sent has a result.
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
  const isPostgres = executor.adapter.supportsTransactionalDdl === true;
  const plans: QueryPlan[] = [];
  for (const { sql, parameters } of queries) {
    const steps = await (isPostgres ? explainPostgres : explainSqlite)(db, sql, parameters);
    plans.push({ sql, ...steps });
  }
  return plans;
}

type Steps = Pick<QueryPlan, 'steps' | 'tableScans'>;

async function explainSqlite(db: Database, sql: string, parameters: readonly unknown[]): Promise<Steps> {
  const query = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
  const { rows } = await db.executeQuery<{ detail: string }>(query);
  const steps = rows.map(({ detail }) => detail);
  // A scan of a result within the query is none of a table.
  const scans = steps.filter((step) => /^SCAN \w+$/.test(step) && !/SCAN (SUBQUERY|CONSTANT)/.test(step));
  return { steps, tableScans: scans };
}

interface PostgresStep {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  Plans?: PostgresStep[];
}

async function explainPostgres(db: Database, sql: string, parameters: readonly unknown[]): Promise<Steps> {
  const query = CompiledQuery.raw(`explain (format json) ${sql}`, [...parameters]);
  const { rows } = await db.executeQuery<{ 'QUERY PLAN': { Plan: PostgresStep }[] }>(query);
  const steps = rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => flatten(Plan)));
  return { steps, tableScans: steps.filter((step) => step.startsWith('Seq Scan')) };
}

function flatten(step: PostgresStep): string[] {
  const where = [step['Relation Name'], step['Index Name']].filter((name) => name !== undefined).join(' by ');
  return [`${step['Node Type']} ${where}`.trim(), ...(step.Plans ?? []).flatMap(flatten)];
}

import { type Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration';
import { isPostgres } from '../is-postgres.ts';
import type { Database } from '../open.ts';
import {
  type RowService,
  rowServices,
  serviceFunctions,
  serviceRights,
  type TableRights,
} from './service-rights.ts';

/** The roles of one installation, by service. */
export type ServiceRoles = Readonly<Record<RowService, string>>;

/** @param prefix such as `latchkey`, which gives `latchkey_auth` */
export function nameServiceRoles(prefix: string): ServiceRoles {
  const names = rowServices.map((service) => [service, `${prefix}_${service}`]);
  return Object.fromEntries(names) as Record<RowService, string>;
}

/** Every process reads how far the schema has been migrated, and shows it in `/ready`. */
const readsMigrations: TableRights = { select: true };

/**
 * The tables of a service and what it does with them.
 *
 * @returns the rights by the name of the table
 */
export function rightsOf(service: RowService): Readonly<Record<string, TableRights>> {
  return { ...serviceRights[service], [DEFAULT_MIGRATION_TABLE]: readsMigrations };
}

/**
 * Gives each role the rights of its service on the tables that are there, and takes away what else it has on tables of
 * Latchkey. Takes effect with the caller's transaction, so a running service never lacks a right in between.
 *
 * @param tx of a Postgres, as the owner of the tables or a superuser
 */
export async function grantServiceRights<DB>(tx: Kysely<DB>, roles: ServiceRoles): Promise<void> {
  await lockGrants(tx);
  const schema = await readCurrentSchema(tx);
  const columns = await readColumns(tx, schema);
  const known = [...new Set(rowServices.flatMap((service) => Object.keys(rightsOf(service))))];
  for (const service of rowServices) {
    const role = sql.id(roles[service]);
    await sql`grant usage on schema ${sql.id(schema)} to ${role}`.execute(tx);
    for (const table of known) {
      const present = columns.get(table);
      if (!present) continue;
      const place = sql.id(schema, table);
      // On the table, which includes its columns.
      await sql`revoke all on table ${place} from ${role}`.execute(tx);
      const grants = describeGrants(rightsOf(service)[table] ?? {}, present);
      if (grants.length > 0)
        await sql`grant ${sql.raw(grants.join(', '))} on table ${place} to ${role}`.execute(tx);
    }
    for (const name of serviceFunctions[service]) {
      const { rows } = await sql`select 1 where to_regprocedure(${name}) is not null`.execute(tx);
      // A pending migration makes it, and grants it then.
      if (rows.length > 0) await sql`grant execute on function ${sql.raw(name)} to ${role}`.execute(tx);
    }
  }
}

/** Until the end of the transaction: Postgres refuses the second of two that change the rights on one table at once. */
export async function lockGrants<DB>(tx: Kysely<DB>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('grants', 0))`.execute(tx);
}

/** `["select", "update (\"count\")"]`. A pending migration may still have to add a column, and grants it then. */
function describeGrants(rights: TableRights, present: ReadonlySet<string>): string[] {
  return Object.entries(rights).flatMap(([right, on]) => {
    if (on === true) return [right];
    const names = on.filter((column) => present.has(column)).map((column) => `"${column}"`);
    return names.length === 0 ? [] : [`${right} (${names.join(', ')})`];
  });
}

/**
 * Repeats the grants for every set of roles that an earlier `latchkey migrate --roles` gave rights here, so that a migration
 * grants what it adds in its own transaction. Does nothing on SQLite, and where one role does everything.
 */
export async function repeatGrants<DB>(tx: Kysely<DB>): Promise<void> {
  if (!isPostgres(tx)) return;
  for (const prefix of await findRolePrefixes(tx)) await grantServiceRights(tx, nameServiceRoles(prefix));
}

/** The prefixes whose roles all have rights on the change feed's counter: a role with such a name by chance is alone. */
export async function findRolePrefixes<DB>(tx: Kysely<DB>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct r.rolname as name from pg_class c cross join aclexplode(c.relacl) a join pg_roles r on r.oid = a.grantee
    where c.oid = to_regclass('change_counter')`.execute(tx);
  const names = new Set(rows.map(({ name }) => name));
  const ending = '_auth';
  return [...names]
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .filter((prefix) => Object.values(nameServiceRoles(prefix)).every((name) => names.has(name)))
    .sort();
}

export async function readCurrentSchema<DB>(db: Kysely<DB>): Promise<string> {
  const { rows } = await sql<{ name: string | null }>`select current_schema() as name`.execute(db);
  const name = rows[0]?.name;
  if (!name) throw new Error('the search_path of this role names no schema that it may use');
  return name;
}

async function readColumns<DB>(db: Kysely<DB>, schema: string): Promise<Map<string, Set<string>>> {
  const { rows } = await sql<{ table: string; column: string }>`
    select c.relname as "table", a.attname as "column" from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = ${schema}::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`.execute(
    db,
  );
  const columns = new Map<string, Set<string>>();
  for (const { table, column } of rows) {
    const present = columns.get(table) ?? new Set();
    columns.set(table, present.add(column));
  }
  return columns;
}

/** Whether the role of this connection may read every column of the table. On SQLite, which has no roles, it always may. */
export async function mayRead(db: Database, table: string): Promise<boolean> {
  if (!isPostgres(db)) return true;
  const { rows } = await sql<{ may: boolean | null }>`
    select has_table_privilege(to_regclass(${table}), 'select') as may`.execute(db);
  // Null: a pending migration has yet to make the table.
  return rows[0]?.may !== false;
}

/** Whether the role of this connection may read the tables of all services. */
export async function mayReadEveryTable(db: Database): Promise<boolean> {
  const tables = new Set(rowServices.flatMap((service) => Object.keys(rightsOf(service))));
  for (const table of tables) if (!(await mayRead(db, table))) return false;
  return true;
}

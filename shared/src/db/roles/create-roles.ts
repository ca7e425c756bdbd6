import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Database, Transaction } from '../open.ts';
import { inTransaction } from '../transaction.ts';
import {
  grantServiceRights,
  lockGrants,
  nameServiceRoles,
  readCurrentSchema,
  type ServiceRoles,
} from './grant-rights.ts';
import { type RowService, rowServices } from './service-rights.ts';

const saltBytes = 16;
/**
 * Roles belong to the whole server, and advisory locks to one database. Two installations that begin at once make the same
 * role, or change it at the same time: duplicate_object, unique_violation, and "tuple concurrently updated", which has no
 * code of its own. A migration that runs meanwhile may also end this by deadlock_detected.
 */
const clashes = new Set(['42710', '23505', 'XX000', '40P01']);
const attempts = 5;
/** SQLSTATE insufficient_privilege. */
const refused = '42501';

export interface CreateRolesOptions {
  /** Begins the name of each role. */
  prefix: string;
  /** ASCII. A role without one keeps its password, or is made without any. */
  passwords: Readonly<Partial<Record<RowService, string>>>;
  randomBytes: (count: number) => Uint8Array;
}

/** The result for one role. */
export interface CreatedRole {
  service: RowService;
  name: string;
  isNew: boolean;
  hasNewPassword: boolean;
}

/** This role may not make or change a role. */
class RolesRefused extends Error {
  readonly forOperator = true;

  constructor(name: string, cause: unknown) {
    super(
      `The role of DATABASE_URL may not make or change the role ${name}: it needs CREATEROLE. Let an administrator run ` +
        `CREATE ROLE ${name} LOGIN PASSWORD '…', and run this again without the variable of its password`,
      { cause },
    );
  }
}

/**
 * Makes one role for each service that has rows, and gives it the rights of its service. Can be run again: it then sets the
 * passwords and the rights again. All of it is one transaction.
 *
 * @param db a migrated Postgres, as the owner of the tables
 * @throws RolesRefused, and whatever the database says
 */
export async function createServiceRoles(db: Database, options: CreateRolesOptions): Promise<CreatedRole[]> {
  const roles = nameServiceRoles(options.prefix);
  const work = async (tx: Transaction) => {
    await lockGrants(tx);
    const created: CreatedRole[] = [];
    for (const service of rowServices) created.push(await createRole(tx, service, roles, options));
    await useSchema(tx, roles);
    await grantServiceRights(tx, roles);
    return created;
  };
  return inTransaction(db, work, { attempts, codes: clashes });
}

async function createRole<DB>(
  tx: Kysely<DB>,
  service: RowService,
  roles: ServiceRoles,
  { passwords, randomBytes }: CreateRolesOptions,
): Promise<CreatedRole> {
  const name = roles[service];
  const password = passwords[service];
  const { rows } = await sql`select 1 from pg_roles where rolname = ${name}`.execute(tx);
  const isNew = rows.length === 0;
  const hasNewPassword = password !== undefined;
  if (isNew || hasNewPassword) {
    const secret = hasNewPassword
      ? sql`password ${sql.lit(createScramVerifier(password, randomBytes(saltBytes)))}`
      : sql``;
    const verb = sql.raw(isNew ? 'create' : 'alter');
    try {
      await sql`${verb} role ${sql.id(name)} login ${secret}`.execute(tx);
    } catch (error) {
      throw (error as { code?: string }).code === refused ? new RolesRefused(name, error) : error;
    }
  }
  return { service, name, isNew, hasNewPassword };
}

/** The roles find the tables by name where the owner does, and may connect where that is not everyone's right. */
async function useSchema<DB>(tx: Kysely<DB>, roles: ServiceRoles): Promise<void> {
  const schema = await readCurrentSchema(tx);
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(tx);
  const database = sql.id(rows[0]?.name ?? '');
  for (const name of Object.values(roles)) {
    await sql`grant connect on database ${database} to ${sql.id(name)}`.execute(tx);
    if (schema === 'public') continue;
    await sql`alter role ${sql.id(name)} in database ${database} set search_path = ${sql.id(schema)}`.execute(
      tx,
    );
  }
}

/** Postgres' own default of `scram_iterations`. The passwords are long and random, so more would protect nothing. */
const iterations = 4_096;
const keyBytes = 32;

/**
 * A password in the form in which Postgres stores it (RFC 5803, and pg_authid in its manual). Postgres' log
 * shows a statement that fails, and may show all others. So no statement holds the password itself.
 *
 * @param password ASCII: other characters would have to be prepared as RFC 4013 says
 * @param salt 16 random bytes
 */
export function createScramVerifier(password: string, salt: Uint8Array): string {
  const salted = pbkdf2Sync(password, salt, iterations, keyBytes, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64');
  const serverKey = hmac('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${Buffer.from(salt).toString('base64')}$${storedKey}:${serverKey}`;
}

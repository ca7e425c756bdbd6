import { existsSync, statSync } from 'node:fs';
import type { SingleNodeValues } from '@latchkey/shared/config';
import {
  type Database,
  describeFileRefusal,
  type MigrationState,
  mayRead,
  mayReadEveryTable,
  nameDatabase,
  readMigrationState,
  readOverriddenSettings,
  UnreleasedSchema,
} from '@latchkey/shared/db';
import { createMasterKey, deriveFingerprint } from '@latchkey/shared/derivation';
import { explainError } from '../explain-error.ts';
import { openNamed } from '../with-database.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';

/** The bit that lets all users read (chmod(2)). */
const othersRead = 0o004;

/**
 * The database, its schema, its role, the master keys that it knows, and whether it has been claimed.
 *
 * @param isOfSeparateServices whether the environment is one of separate processes
 */
export async function examineDatabase(
  values: SingleNodeValues,
  isOfSeparateServices: boolean,
): Promise<Finding[]> {
  const databaseUrl = values.databaseUrl?.reveal();
  const isShared = databaseUrl !== undefined && isOfSeparateServices && values.nodeEnv === 'production';
  const about = `${databaseUrl ? 'DATABASE_URL' : 'SQLITE_PATH'} (${nameDatabase(values)})`;
  if (!databaseUrl && !existsSync(values.sqlitePath))
    return [ok(about, 'is not there yet; the first start makes it')];
  const refused = databaseUrl ? null : describeFileRefusal(values.sqlitePath, process.getuid?.());
  if (refused) {
    const mend =
      'the server does not start as this user: the file, its -wal and -shm and its folder have one owner';
    return [wrong(about, `cannot be used, ${refused}`, { mend })];
  }
  let db: Database | null = null;
  try {
    db = openNamed(values);
    const state = await readMigrationState(db);
    const found = [
      describeSchema(state, about),
      ...(databaseUrl ? await examineSettings(db, about) : examineFileMode(values.sqlitePath)),
    ];
    if (state.missing.length > 0) return found;
    return [
      ...found,
      ...(isShared ? [await examineRole(db, about)] : []),
      ...((await mayRead(db, 'key_versions')) ? await examineMasterKeys(db, values) : []),
      ...((await mayRead(db, 'api_keys')) ? [await examineSetup(db, values)] : []),
    ];
  } catch (error) {
    if (error instanceof UnreleasedSchema) return [wrong(about, `cannot be used. ${error.message}`)];
    const mend = databaseUrl
      ? 'is Postgres running there, and are user, password and database name right?'
      : 'may this user read and write the file and its folder, and is it a database?';
    return [wrong(about, `cannot be opened: ${explainError(error)}`, { mend })];
  } finally {
    await db?.destroy();
  }
}

/** A file that was restored or copied may have other rights than the one that the server made. */
function examineFileMode(path: string): Finding[] {
  const mode = statSync(path).mode & 0o777;
  if ((mode & othersRead) === 0) return [];
  const says = `can be read by every user of this machine (mode ${mode.toString(8).padStart(3, '0')}); it says who watches what`;
  return [warning(path, says, { mend: `chmod 600 ${path}*` })];
}

function describeSchema({ pending, unknown }: MigrationState, about: string): Finding {
  if (pending.length > 0) {
    const mend =
      'npx latchkey migrate, or start the single node, which does it unless MIGRATE_ON_START is false';
    return warning(about, `is not up to date: ${pending.join(', ')}`, { mend });
  }
  if (unknown.length === 0) return ok(about, 'answers and is up to date');
  return ok(about, `answers; it is newer than this version, which does not know ${unknown.join(', ')}`);
}

/** Settings that the server overrides in its sessions. Other programs on this database use what is found. */
async function examineSettings(db: Database, about: string): Promise<Finding[]> {
  return (await readOverriddenSettings(db)).map(({ name, found, used }) =>
    ok(about, `sets ${name} to ${found}; Latchkey uses ${used} in its own sessions, whatever is set here`),
  );
}

async function examineMasterKeys(db: Database, values: SingleNodeValues): Promise<Finding[]> {
  const known = await db.selectFrom('key_versions').select(['version', 'fingerprint']).execute();
  const configured = new Map<number, string>();
  for (const { version, masterKey, salt } of values.masterKeys.reveal())
    configured.set(version, await deriveFingerprint(createMasterKey(version, masterKey, salt)));
  return known.map(({ version, fingerprint }) => {
    const about = `master key, version ${version}`;
    const own = configured.get(version);
    if (own === fingerprint) return ok(about, 'is the one that this database knows');
    const says = own
      ? 'is not the one that this database knows: every key would be wrong'
      : 'is known to the database but not configured';
    return wrong(about, says, { mend: 'put the former MASTER_KEY_HEX and SALT_HEX of that version back' });
  });
}

async function examineSetup(db: Database, values: SingleNodeValues): Promise<Finding> {
  const key = await db
    .selectFrom('api_keys')
    .select('id')
    .where('revoked_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  if (key) return ok('setup', 'is done');
  if (values.adminApiKey || values.setupToken)
    return warning('setup', 'is not done; a credential guards it', { mend: 'POST /api/v1/setup' });
  const mend = 'claim it now, or set ADMIN_API_KEY or SETUP_TOKEN';
  return warning('setup', 'is open: the first caller owns the server', { mend });
}

/**
 * Whether one role can read the tables of all services. A vulnerability in one service would then expose all rows.
 *
 * @param db a Postgres that separate services in production share
 * @param about names the variable and the database
 */
async function examineRole(db: Database, about: string): Promise<Finding> {
  if (!(await mayReadEveryTable(db))) return ok(about, 'is reached by a role that does not see every table');
  const says =
    'is reached by one role that sees the tables of all services: a hole in one service would open all of them';
  const mend =
    'npx latchkey migrate --roles, then give auth, content and leases a DATABASE_URL with their own roles; migrate keeps this one (docs/operate/database-roles.md)';
  return warning(about, says, { mend });
}

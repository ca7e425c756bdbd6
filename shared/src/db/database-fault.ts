import { AppError } from '../errors/errors.ts';
import { TlsRefused } from '../tls/index.ts';

/** SQLite result codes (sqlite.org/rescode.html) that concern the file or the disk, not the statement. */
const sqliteCodes = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|PROTOCOL|PERM)/;
/**
 * SQLSTATE classes of a database that cannot serve: connection, login, resources, operator intervention, system; a
 * transaction that was refused on every attempt; a server that takes no writes; and features that a server lacks, such as
 * a standby with serializable sessions (0A000: "cannot use serializable mode in a hot standby"). A primary supports all
 * of our statements. A role that lacks a right (42501), as after a restore without grants, is the operator's to repair.
 */
const postgresClasses = /^(08|28|3D|53|57|58|40|25006|0A000|42501)/;
const networkCodes = /^(ECONN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/;
/** pg reports these without a code. */
const poolMessages =
  /timeout exceeded when trying to connect|Query read timeout|Connection terminated|not queryable|database connection is not open|driver has already been destroyed/;

/** Whether the database could not do its work, as opposed to receiving a wrong statement. The answer is then 503. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TlsRefused) return true;
  const code = String((error as { code?: unknown }).code ?? '');
  if (sqliteCodes.test(code) || networkCodes.test(code)) return true;
  if (/^[0-9A-Z]{5}$/.test(code) && postgresClasses.test(code)) return true;
  return poolMessages.test(error.message);
}

/** For the `catch` of a query whose caller may be another service. @throws AppError DEPENDENCY_UNAVAILABLE, or the error itself */
export function throwDatabaseFault(error: unknown): never {
  throw isDatabaseUnavailable(error) ? new AppError('DEPENDENCY_UNAVAILABLE', { cause: error }) : error;
}

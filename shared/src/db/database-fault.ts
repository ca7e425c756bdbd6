/** SQLite result codes (sqlite.org/rescode.html) that speak of the file or the disk and not of our statement. */
const sqliteCodes = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|PROTOCOL|PERM)/;
/**
 * SQLSTATE classes: connection, its user and its database, resources, operator intervention, system; a transaction that was
 * refused each time it was tried; a server that takes no writes; and what a server cannot do, such as a standby whose sessions
 * are serializable (0A000: "cannot use serializable mode in a hot standby"). Our statements ask nothing that a primary lacks.
 */
const postgresClasses = /^(08|28|3D|53|57|58|40|25006|0A000)/;
const networkCodes = /^(ECONN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/;
/** pg reports these without a code. */
const poolMessages =
  /timeout exceeded when trying to connect|Query read timeout|Connection terminated|not queryable|database connection is not open|driver has already been destroyed/;

/** Whether the database could not be asked, as opposed to having been asked something wrong. The answer is then 503. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = String((error as { code?: unknown }).code ?? '');
  if (sqliteCodes.test(code) || networkCodes.test(code)) return true;
  if (/^[0-9A-Z]{5}$/.test(code) && postgresClasses.test(code)) return true;
  return poolMessages.test(error.message);
}

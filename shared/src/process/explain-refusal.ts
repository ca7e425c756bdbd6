import { statSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { ConfigError, databaseVariables, type Environment, readConfig } from '../config/index.ts';
import { isDatabaseUnavailable } from '../db/database-fault.ts';
import { describeFileRefusal } from '../db/file-access.ts';

/** Such as EADDRINUSE and SQLITE_CANTOPEN; not ERR_INVALID_ARG_TYPE, which is a mistake in the code. */
const systemCode = /^(E[A-Z0-9]+|SQLITE_[A-Z_]+)$/;

/**
 * Ends the process with a readable reason. A stack is shown only for unexpected errors, not for refusals by the
 * configuration, the operating system or the database (a port in use, a folder without write permission, a wrong
 * password). Where a variable is the cause, the reason names it.
 */
export function explainAndExit(error: unknown, process: NodeJS.Process, env: Environment): never {
  const foreseen =
    error instanceof ConfigError ||
    (error instanceof Error && 'forOperator' in error) ||
    isFromSystem(error) ||
    isUnknownFlag(error) ||
    isDatabaseUnavailable(error);
  const text =
    explainRefusal(error, env) ??
    (foreseen ? (error as Error).message : ((error as Error)?.stack ?? String(error)));
  const hint = isUnknownFlag(error)
    ? '\nThe configuration is in environment variables: --help names them.'
    : '';
  process.stderr.write(`Latchkey did not start.\n${text}${hint}\n`);
  process.exit(1);
}

/** Errors of `parseArgs`, such as for `--port`, which is a variable here. */
function isUnknownFlag(error: unknown): boolean {
  return error instanceof Error && /^ERR_PARSE_ARGS_/.test((error as NodeJS.ErrnoException).code ?? '');
}

function isFromSystem(error: unknown): boolean {
  return error instanceof Error && systemCode.test((error as NodeJS.ErrnoException).code ?? '');
}

/** An error of the operating system or of SQLite, with the fields that Node and the metrics listener add. */
type Refusal = NodeJS.ErrnoException & { address?: string; port?: number; listener?: 'metrics' };

/** Codes that concern a file or its disk (sqlite.org/rescode.html). The other codes mean a mistake in the code. */
const ofTheFile = /^SQLITE_(CANTOPEN|NOTADB|READONLY|PERM|AUTH|FULL|CORRUPT|IOERR|BUSY|LOCKED)/;
const pathForms =
  'the path of a SQLite database, or of a file that is not there yet, in a folder that this user may write to';

/**
 * Explains what the operating system or SQLite refuses at the start, and names the variable to change.
 *
 * @param env for the path of the database, which SQLite does not put into its errors
 * @returns undefined for an error that none of our variables causes
 */
export function explainRefusal(error: unknown, env: Environment): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // A service's error about its database has the database's own error as its cause.
  return explainItself(error, env) ?? explainRefusal(error.cause, env);
}

function explainItself(refusal: Refusal, env: Environment): string | undefined {
  if (refusal.syscall === 'listen') return explainListener(refusal);
  if (refusal.syscall === 'open' && refusal.path?.endsWith('latchkey.env'))
    return explainSecretsFile(refusal);
  const path = sqlitePath(env);
  return path === undefined ? undefined : explainSqlite(refusal, path);
}

function explainListener({ code, address, port, listener }: Refusal): string | undefined {
  const [own, host, other] =
    listener === 'metrics' ? ['METRICS_PORT', 'METRICS_HOST', 'PORT'] : ['PORT', 'HOST', 'METRICS_PORT'];
  if (code === 'EADDRINUSE') {
    const forms = `a port that is free, and another one than ${other}; 0 takes whichever is free`;
    return `${own} is ${port}, but something listens on port ${port} of ${address} already (${code}). Accepted: ${forms}.`;
  }
  if (code === 'EACCES') {
    const forms = 'a port from 1024 on, or one that this user has been allowed';
    return `${own} is ${port}, which this user may not listen on (${code}). Accepted: ${forms}.`;
  }
  if (code === 'EADDRNOTAVAIL') {
    const forms = 'an address of this machine, or 0.0.0.0 for all of them';
    return `${host} is ${address}, which is not an address of this machine (${code}). Accepted: ${forms}.`;
  }
  return undefined;
}

function explainSecretsFile({ code, path }: Refusal): string {
  return (
    `${path} holds the secrets of the first run and cannot be read (${code}). ` +
    'Run as the user that owns it, or give it to this user with chown.'
  );
}

function explainSqlite(
  { code = '', syscall, path, message }: Refusal,
  sqlitePath: string,
): string | undefined {
  const say = (what: string) =>
    `SQLITE_PATH is ${JSON.stringify(sqlitePath)}, ${what}. Accepted: ${pathForms}.`;
  // A missing folder of the file is made.
  if (syscall === 'mkdir' && path !== undefined && isOrHolds(path, dirname(sqlitePath))) {
    const isFile = code === 'EEXIST' || code === 'ENOTDIR';
    return say(
      isFile ? 'which lies below a file, not below a folder' : `whose folder cannot be made (${code})`,
    );
  }
  if (!ofTheFile.test(code)) return undefined;
  if (code === 'SQLITE_NOTADB') return say('which is a file of another kind');
  if (isFolder(sqlitePath)) return say('which is a folder');
  const refused = describeFileRefusal(sqlitePath, process.getuid?.());
  if (refused) return say(refused);
  return say(`which cannot be used: ${message} (${code})`);
}

/** @returns undefined where the database is a Postgres, or where the variables have an unusable value */
function sqlitePath(env: Environment): string | undefined {
  try {
    const { values } = readConfig(databaseVariables, env);
    return values.databaseUrl ? undefined : values.sqlitePath;
  } catch {
    return undefined;
  }
}

function isOrHolds(path: string, folder: string): boolean {
  return `${resolve(folder)}${sep}`.startsWith(`${resolve(path)}${sep}`);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

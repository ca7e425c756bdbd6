import { ConfigError, type Environment } from '../config/index.ts';
import { isDatabaseUnavailable } from '../db/database-fault.ts';
import { explainRefusal } from './explain-refusal.ts';

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

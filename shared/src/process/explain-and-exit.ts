import { ConfigError, type Environment } from '../config/index.ts';
import { isDatabaseUnavailable } from '../db/index.ts';
import { explainRefusal } from './explain-refusal.ts';

/** Such as EADDRINUSE and SQLITE_CANTOPEN; not ERR_INVALID_ARG_TYPE, which is a mistake in the code. */
const systemCode = /^(E[A-Z0-9]+|SQLITE_[A-Z_]+)$/;

/**
 * Ends the process with what is wrong, in words. A stack is shown for what nobody foresaw, and not for what the
 * configuration, the operating system or the database refuses (a port that is taken, a folder that may not be written, a
 * password). Where a variable is behind that, it is named.
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

/** What `parseArgs` refuses, such as `--port`, which is a variable here. */
function isUnknownFlag(error: unknown): boolean {
  return error instanceof Error && /^ERR_PARSE_ARGS_/.test((error as NodeJS.ErrnoException).code ?? '');
}

function isFromSystem(error: unknown): boolean {
  return error instanceof Error && systemCode.test((error as NodeJS.ErrnoException).code ?? '');
}

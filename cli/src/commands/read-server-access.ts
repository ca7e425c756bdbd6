import { bearerCredential } from '@latchkey/shared/config';
import { AppError } from '@latchkey/shared/errors';
import type { CommandContext } from '../command-context.ts';
import type { ServerAccess } from '../keys/ask-server.ts';
import { readVariable } from '../keys/read-variable.ts';

export interface ServerOptions {
  readonly server?: string;
  readonly apiKeyFile?: string;
}

/**
 * The server that the options name, and the API key for it: from `--api-key-file`, else from the environment.
 *
 * @param asker the option that needs the server
 * @throws AppError `VALIDATION_FAILED` that names the option or variable, and never the value
 */
export function readServerAccess(
  options: ServerOptions,
  { env, wait }: Pick<CommandContext, 'env' | 'wait'>,
  asker: string,
): ServerAccess {
  if (options.server === undefined) throw refusal(`${asker} needs --server <url>`);
  const server = checkServer(options.server);
  const apiKey = readApiKey(options, env);
  if (apiKey === undefined) {
    throw refusal(
      'LATCHKEY_API_KEY is not set; accepted: an API key of that server, here, in LATCHKEY_API_KEY_FILE or --api-key-file',
    );
  }
  // Also a bootstrap key, which is whatever the server's ADMIN_API_KEY may be. The server says whether it is a key.
  const parsed = bearerCredential.parse(apiKey);
  if ('wrong' in parsed) {
    throw refusal(
      `LATCHKEY_API_KEY ${parsed.wrong}; accepted: an API key (lk_ and 64 lower-case hex digits), or the server's ADMIN_API_KEY`,
    );
  }
  return { server, apiKey, wait };
}

function readApiKey({ apiKeyFile }: ServerOptions, env: CommandContext['env']): string | undefined {
  // An option decides over what happens to be in the environment.
  const variables = apiKeyFile === undefined ? env : { LATCHKEY_API_KEY_FILE: apiKeyFile };
  return readVariable(variables, 'LATCHKEY_API_KEY');
}

function checkServer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username) {
    return url.href.replace(/\/+$/, '');
  }
  throw refusal(`--server "${text}"; accepted: an http or https URL, such as http://localhost:4100`);
}

function refusal(detail: string): AppError {
  return new AppError('VALIDATION_FAILED', { detail });
}

import { bearerCredential } from '@latchkey/shared/config';
import { Option } from 'commander';
import { checkBaseUrl } from '../check-options.ts';
import type { CommandContext } from '../command-context.ts';
import type { ServerAccess } from '../keys/ask-server.ts';
import { readVariable } from '../keys/variables.ts';
import { refusal } from '../refusal.ts';

export interface ServerOptions {
  readonly server?: string;
  readonly apiKeyFile?: string;
}

/** @param what the command does with the server */
export function serverOption(what = 'ask this key server'): Option {
  return new Option('--server <url>', `${what}; the API key is in LATCHKEY_API_KEY or LATCHKEY_API_KEY_FILE`);
}

/** @param scope the scope that the API key needs */
export function apiKeyFileOption(scope = ''): Option {
  return new Option('--api-key-file <file>', `the API key is in this file${scope && `; ${scope}`}`);
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
  const server = checkBaseUrl(options.server, '--server');
  const apiKey = readApiKey(options, env);
  if (apiKey === undefined) {
    throw refusal(
      'LATCHKEY_API_KEY is not set; accepted: an API key of that server, here, in LATCHKEY_API_KEY_FILE or --api-key-file',
    );
  }
  return { server, apiKey, wait };
}

/** From `--api-key-file`, else from the environment. @throws AppError `VALIDATION_FAILED` for a text that cannot be an API key */
export function readApiKey(
  { apiKeyFile }: Pick<ServerOptions, 'apiKeyFile'>,
  env: CommandContext['env'],
): string | undefined {
  const variables = apiKeyFile === undefined ? env : { LATCHKEY_API_KEY_FILE: apiKeyFile };
  const apiKey = readVariable(variables, 'LATCHKEY_API_KEY');
  // A bootstrap key has the form of any ADMIN_API_KEY, so only the server can say whether it is a key.
  const { error } = bearerCredential.optional().safeParse(apiKey);
  if (!error) return apiKey;
  throw refusal(
    `LATCHKEY_API_KEY ${error.issues[0]?.message}; accepted: an API key (lk_ and 64 lower-case hex digits), or the server's ADMIN_API_KEY`,
  );
}

import { bearerCredential } from '@latchkey/shared/config';
import type { CommandContext } from '../command-context.ts';
import type { ContentKeySource } from '../encrypt/content-key-source.ts';
import type { ServerAccess } from '../keys/ask-server.ts';
import { createMasterKeySource, masterKeyVersions, readMasterKey } from '../keys/derive-from-env.ts';
import { createServerKeySource } from '../keys/fetch-content-key.ts';
import { type ContentRegistrar, createContentRegistrar } from '../keys/register-content.ts';
import { readEnvFile, readVariable } from '../keys/variables.ts';
import { refusal } from '../refusal.ts';
import { showUrl } from '../show-url.ts';

export interface KeyOptions extends ServerOptions {
  readonly keysFrom?: 'server' | 'env';
  /** The presentation goes to the bucket of the server. Content can then be registered there wherever keys come from. */
  readonly upload?: true;
  readonly register?: true;
  /** False for `--no-key-periods`. */
  readonly keyPeriods?: boolean;
  readonly name?: string;
  readonly playlistUrl?: string;
  readonly envFile?: string;
  readonly keyVersion?: number;
}

/** A source of content keys, and its name for messages. */
export interface ChosenKeySource {
  readonly source: ContentKeySource;
  /** With `--register`, wherever keys come from. */
  readonly registrar: ContentRegistrar | undefined;
  readonly description: string;
}

/**
 * An option overrides the environment. Two options that contradict each other are refused, not ranked.
 *
 * @throws AppError `VALIDATION_FAILED` that names the option or variable
 */
export async function chooseKeySource(
  options: KeyOptions,
  context: CommandContext,
): Promise<ChosenKeySource> {
  const from = options.keysFrom ?? infer(options, context);
  return from === 'server' ? fromServer(options, context) : fromEnvironment(options, context);
}

function infer(options: KeyOptions, { env }: CommandContext): 'server' | 'env' {
  const wantsServer = options.server !== undefined;
  const wantsEnv = options.envFile !== undefined || options.keyVersion !== undefined;
  if (wantsServer && wantsEnv) {
    throw refusal(
      '--server and --env-file or --key-version are both given; say which with --keys-from server|env',
    );
  }
  if (wantsServer) return 'server';
  if (wantsEnv || masterKeyVersions(env).length > 0) return 'env';
  throw refusal(
    'no content key can be had; give --server <url> with LATCHKEY_API_KEY, or --env-file <latchkey.env>, ' +
      'or set MASTER_KEY_HEX and SALT_HEX',
  );
}

function fromServer(options: KeyOptions, context: CommandContext): ChosenKeySource {
  const access = readServerAccess(options, context, '--keys-from server');
  const registrar = options.register && createContentRegistrar(access, options);
  const source = createServerKeySource({ ...access, registrar });
  return { source, registrar, description: `the server ${access.server}` };
}

async function fromEnvironment(options: KeyOptions, context: CommandContext): Promise<ChosenKeySource> {
  if (options.register && !options.upload) throw refusal('--register needs a server: give --server <url>');
  const access = options.register && readServerAccess(options, context, '--upload');
  const variables = options.envFile === undefined ? context.env : await readEnvFile(options.envFile);
  const masterKey = readMasterKey(variables, options.keyVersion);
  const where = options.envFile ?? 'the environment';
  const registrar = access && createContentRegistrar(access, options);
  const source = createMasterKeySource(masterKey);
  return {
    source: registrar ? { ...source, prepare: registrar.register } : source,
    registrar,
    description: `version ${masterKey.version} of the master key in ${where}`,
  };
}

interface ServerOptions {
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
  const server = checkServer(options.server, '--server');
  const apiKey = readApiKey(options, env);
  if (apiKey === undefined) {
    throw refusal(
      'LATCHKEY_API_KEY is not set; accepted: an API key of that server, here, in LATCHKEY_API_KEY_FILE or --api-key-file',
    );
  }
  // A bootstrap key has the form of any ADMIN_API_KEY, so only the server can say whether it is a key.
  const { error } = bearerCredential.safeParse(apiKey);
  if (error) {
    throw refusal(
      `LATCHKEY_API_KEY ${error.issues[0]?.message}; accepted: an API key (lk_ and 64 lower-case hex digits), or the server's ADMIN_API_KEY`,
    );
  }
  return { server, apiKey, wait };
}

/** From `--api-key-file`, else from the environment. @throws AppError `VALIDATION_FAILED` if a file cannot be read */
export function readApiKey(
  { apiKeyFile }: Pick<ServerOptions, 'apiKeyFile'>,
  env: CommandContext['env'],
): string | undefined {
  const variables = apiKeyFile === undefined ? env : { LATCHKEY_API_KEY_FILE: apiKeyFile };
  return readVariable(variables, 'LATCHKEY_API_KEY');
}

/** @param option that names it. @returns it without a slash at its end. @throws AppError `VALIDATION_FAILED` */
export function checkServer(text: string, option: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username && !url.password) {
    return url.href.replace(/(?<!\/)\/+$/, '');
  }
  throw refusal(
    `${option} "${showUrl(text)}"; accepted: an http or https URL, such as http://localhost:4100`,
  );
}

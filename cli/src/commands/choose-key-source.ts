import { AppError } from '@latchkey/shared/errors';
import type { CommandContext } from '../command-context.ts';
import type { ContentKeySource } from '../encrypt/content-key-source.ts';
import { createMasterKeySource, masterKeyVersions, readMasterKey } from '../keys/derive-from-env.ts';
import { createServerKeySource } from '../keys/fetch-content-key.ts';
import { readEnvFile } from '../keys/read-env-file.ts';
import { readVariable } from '../keys/read-variable.ts';

export interface KeyOptions {
  readonly keysFrom?: 'server' | 'env';
  readonly server?: string;
  readonly register?: true;
  readonly name?: string;
  readonly envFile?: string;
  readonly keyVersion?: number;
}

/** A source of content keys, and one sentence that says which. */
export interface ChosenKeySource {
  readonly source: ContentKeySource;
  readonly description: string;
}

/**
 * What is asked for by an option counts more than what happens to be in the environment; two options that contradict
 * each other are refused rather than ranked.
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

function fromServer(options: KeyOptions, { env, wait }: CommandContext): ChosenKeySource {
  if (options.server === undefined) throw refusal('--keys-from server needs --server <url>');
  const server = checkServer(options.server);
  const apiKey = readVariable(env, 'LATCHKEY_API_KEY');
  if (apiKey === undefined) {
    throw refusal(
      'LATCHKEY_API_KEY is not set; accepted: an API key of that server, here or in LATCHKEY_API_KEY_FILE',
    );
  }
  if (!/^lk_[0-9a-f]{64}$/.test(apiKey)) {
    throw refusal('LATCHKEY_API_KEY is not an API key; accepted: lk_ and 64 lower-case hex digits');
  }
  const { register = false, name } = options;
  const source = createServerKeySource({ server, apiKey, wait, register, contentName: name });
  return { source, description: `the server ${server}` };
}

async function fromEnvironment(options: KeyOptions, { env }: CommandContext): Promise<ChosenKeySource> {
  if (options.register) throw refusal('--register needs a server: give --server <url>');
  const variables = options.envFile === undefined ? env : await readEnvFile(options.envFile);
  const masterKey = readMasterKey(variables, options.keyVersion);
  const where = options.envFile ?? 'the environment';
  return {
    source: createMasterKeySource(masterKey),
    description: `version ${masterKey.version} of the master key in ${where}`,
  };
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

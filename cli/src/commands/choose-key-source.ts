import { AppError } from '@latchkey/shared/errors';
import type { CommandContext } from '../command-context.ts';
import type { ContentKeySource } from '../encrypt/content-key-source.ts';
import { createMasterKeySource, masterKeyVersions, readMasterKey } from '../keys/derive-from-env.ts';
import { createServerKeySource } from '../keys/fetch-content-key.ts';
import { readEnvFile } from '../keys/read-env-file.ts';
import { readServerAccess, type ServerOptions } from './read-server-access.ts';

export interface KeyOptions extends ServerOptions {
  readonly keysFrom?: 'server' | 'env';
  /** Of the presentation, to the bucket of the server: content can be registered there wherever keys come from. */
  readonly upload?: true;
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

function fromServer(options: KeyOptions, context: CommandContext): ChosenKeySource {
  const access = readServerAccess(options, context, '--keys-from server');
  const { register = false, name } = options;
  const source = createServerKeySource({ ...access, register, contentName: name });
  return { source, description: `the server ${access.server}` };
}

async function fromEnvironment(options: KeyOptions, { env }: CommandContext): Promise<ChosenKeySource> {
  if (options.register && !options.upload) throw refusal('--register needs a server: give --server <url>');
  const variables = options.envFile === undefined ? env : await readEnvFile(options.envFile);
  const masterKey = readMasterKey(variables, options.keyVersion);
  const where = options.envFile ?? 'the environment';
  return {
    source: createMasterKeySource(masterKey),
    description: `version ${masterKey.version} of the master key in ${where}`,
  };
}

function refusal(detail: string): AppError {
  return new AppError('VALIDATION_FAILED', { detail });
}

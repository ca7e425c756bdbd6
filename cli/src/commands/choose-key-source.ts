import type { CommandContext } from '../command-context.ts';
import type { ContentKeySource } from '../encrypt/content-key-source.ts';
import { createMasterKeySource, masterKeyVersions, readMasterKey } from '../keys/derive-from-env.ts';
import { createServerKeySource } from '../keys/fetch-content-key.ts';
import { type ContentRegistrar, createContentRegistrar } from '../keys/register-content.ts';
import { readEnvFile } from '../keys/variables.ts';
import { refusal } from '../refusal.ts';
import type { EncryptCommandOptions } from './encrypt-command-options.ts';
import { readServerAccess } from './server-options.ts';

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
  options: EncryptCommandOptions,
  context: CommandContext,
): Promise<ChosenKeySource> {
  const from = options.keysFrom ?? infer(options, context);
  return from === 'server' ? fromServer(options, context) : fromEnvironment(options, context);
}

function infer(options: EncryptCommandOptions, { env }: CommandContext): 'server' | 'env' {
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

function fromServer(options: EncryptCommandOptions, context: CommandContext): ChosenKeySource {
  const access = readServerAccess(options, context, '--keys-from server');
  const registrar = options.register && createContentRegistrar(access, options);
  const source = createServerKeySource({ ...access, registrar });
  return { source, registrar, description: `the server ${access.server}` };
}

async function fromEnvironment(
  options: EncryptCommandOptions,
  context: CommandContext,
): Promise<ChosenKeySource> {
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

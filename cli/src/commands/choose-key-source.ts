import type { CommandContext } from '../command-context.ts';
import { createMasterKeySource, masterKeyVersions, readMasterKey } from '../keys/derive-from-env.ts';
import { createServerKeySource } from '../keys/fetch-content-key.ts';
import { createContentRegistrar } from '../keys/register-content.ts';
import { readEnvFile } from '../keys/variables.ts';
import { refusal } from '../refusal.ts';
import type { EncryptCommandOptions } from './encrypt-command-options.ts';
import { readServerAccess } from './server-options.ts';

/** A source of content keys, its name for messages, and the registrar of `--register`, wherever keys come from. */
export type ChosenKeySource = Awaited<ReturnType<typeof chooseKeySource>>;

/**
 * An option overrides the environment. Two options that contradict each other are refused, not ranked.
 *
 * @throws AppError `VALIDATION_FAILED` that names the option or variable
 */
export async function chooseKeySource(options: EncryptCommandOptions, context: CommandContext) {
  const { register, upload, envFile, keyVersion, keysFrom = infer(options, context) } = options;
  const isServer = keysFrom === 'server';
  if (register && !isServer && !upload) throw refusal('--register needs a server: give --server <url>');
  const access =
    isServer || register
      ? readServerAccess(options, context, isServer ? '--keys-from server' : '--upload')
      : undefined;
  const registrar = access && register ? createContentRegistrar(access, options) : undefined;
  if (access && isServer) {
    const source = createServerKeySource({ ...access, registrar });
    return { source, registrar, description: `the server ${access.server}` };
  }
  const variables = envFile === undefined ? context.env : await readEnvFile(envFile);
  const masterKey = readMasterKey(variables, keyVersion);
  const derived = createMasterKeySource(masterKey);
  return {
    source: registrar ? { ...derived, prepare: registrar.register } : derived,
    registrar,
    description: `version ${masterKey.version} of the master key in ${envFile ?? 'the environment'}`,
  };
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

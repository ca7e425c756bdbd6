import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { createSource, type Environment } from './source.ts';
import { defaultSqlitePath } from './variables/stores.ts';

/** 256 bits, as `docs/operate/configuration.md` requires for the master key, its salt and an HS256 secret. */
const keyBytes = 32;

export type SecretsFile = ReturnType<typeof readSecretsFile>;

/**
 * Reads the file of the first run, which is next to the database.
 *
 * @returns `text` is null if the file does not exist
 * @throws the operating system's error if the file exists and cannot be read
 */
export function readSecretsFile(env: Environment): { readonly path: string; readonly text: string | null } {
  // A fault of SQLITE_PATH itself is reported with all others when the configuration is read.
  const path = join(dirname(textOf(env, 'SQLITE_PATH') ?? defaultSqlitePath), 'latchkey.env');
  try {
    return { path, text: readFileSync(path, 'utf8') };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return { path, text: null };
  }
}

/**
 * The values that an earlier run stored, as far as they are used.
 *
 * @returns `values` by variable name, without variables that are set in another way (or read from another file); `warnings` for the operator:
 *   whole sentences, never a secret
 */
export function readKeptSecrets({ path, text }: SecretsFile, env: Environment) {
  const kept = Object.entries(parseEnv(text ?? '') as Record<string, string>);
  const values = Object.fromEntries(kept.filter(([name]) => !isSet(env, name)));
  const warnings: string[] = [];
  const other = ['AUTH_JWKS_URL', 'AUTH_ISSUERS'].find((name) => isSet(env, name) || values[name]);
  if (values.AUTH_JWT_SECRET && other) {
    // The file was made when viewers had no other way in. The operator has since named an issuer, and would not think of
    // this secret if it leaked.
    delete values.AUTH_JWT_SECRET;
    warnings.push(
      `AUTH_JWT_SECRET of ${path} is not used, because ${other} is set: tokens that are signed with that secret are refused.${other === 'AUTH_JWKS_URL' ? ' To accept both, set AUTH_JWT_SECRET in the environment.' : ''}`,
    );
  }
  return { values, warnings };
}

/**
 * The values that a first run makes. None in production.
 *
 * - A master key with its salt, if no version of either and no provider is set.
 * - A token secret, if viewers have no other way in.
 */
export function makeMissingSecrets(
  env: Environment,
  randomBytes: (size: number) => Buffer,
): Record<string, string> {
  if (isProduction(env)) return {};
  const made: Record<string, string> = {};
  if (
    !Object.keys(env).some((name) => /^(MASTER_KEY_HEX|SALT_HEX|MASTER_KEY_PROVIDER)/.test(name) && env[name])
  ) {
    made.MASTER_KEY_HEX = randomBytes(keyBytes).toString('hex');
    made.SALT_HEX = randomBytes(keyBytes).toString('hex');
  }
  const viewersEnter =
    isSet(env, 'AUTH_JWT_SECRET') ||
    isSet(env, 'AUTH_JWKS_URL') ||
    isSet(env, 'AUTH_ISSUERS') ||
    textOf(env, 'ALLOW_ANONYMOUS_VIEWERS') === 'true';
  if (!viewersEnter) made.AUTH_JWT_SECRET = `base64:${randomBytes(keyBytes).toString('base64')}`;
  return made;
}

/**
 * Also true where NODE_ENV_FILE cannot be read: the configuration is refused then, and nothing should have been made
 * before.
 */
function isProduction(env: Environment): boolean {
  const found = createSource(env).find('NODE_ENV');
  return found !== undefined && ('message' in found || found.text === 'production');
}

/** @returns undefined if it is not set or cannot be read */
function textOf(env: Environment, name: string): string | undefined {
  const found = createSource(env).find(name);
  return found && 'text' in found ? found.text : undefined;
}

function isSet(env: Environment, name: string): boolean {
  return Boolean(env[name] || env[`${name}_FILE`]);
}

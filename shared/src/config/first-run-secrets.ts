import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Environment } from './source.ts';

/** 256 bits: what the contract asks of the master key, its salt and an HS256 secret (section 2). */
const keyOctets = 32;

/** The file that the first run writes, beside the database. */
export function secretsFilePath(sqlitePath: string): string {
  return join(dirname(sqlitePath), 'latchkey.env');
}

/** What an earlier run kept. Variables that are set (or come from a file of their own) win over it. */
export function readSecretsFile(path: string, env: Environment): Record<string, string> {
  if (!existsSync(path)) return {};
  const kept = parseEnv(readFileSync(path, 'utf8')) as Record<string, string>;
  return Object.fromEntries(Object.entries(kept).filter(([name]) => !isSet(env, name)));
}

/**
 * What a first run has to make: a master key with its salt where no version of either is set, and a token secret where
 * viewers have no other way in. Nothing in production.
 */
export function makeMissingSecrets(
  env: Environment,
  randomBytes: (size: number) => Buffer,
): Record<string, string> {
  if (env.NODE_ENV === 'production') return {};
  const made: Record<string, string> = {};
  if (!Object.keys(env).some((name) => /^(MASTER_KEY_HEX|SALT_HEX)/.test(name) && env[name])) {
    made.MASTER_KEY_HEX = randomBytes(keyOctets).toString('hex');
    made.SALT_HEX = randomBytes(keyOctets).toString('hex');
  }
  const viewersEnter =
    isSet(env, 'AUTH_JWT_SECRET') || isSet(env, 'AUTH_JWKS_URL') || env.ALLOW_ANONYMOUS_VIEWERS === 'true';
  if (!viewersEnter) made.AUTH_JWT_SECRET = `base64:${randomBytes(keyOctets).toString('base64')}`;
  return made;
}

function isSet(env: Environment, name: string): boolean {
  return Boolean(env[name] || env[`${name}_FILE`]);
}

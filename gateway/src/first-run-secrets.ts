import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Environment } from '@latchkey/shared/config';

/** Readable by its owner alone: it opens all content. */
const fileMode = 0o600;
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

/**
 * Keeps what was made. The file is on the disk, whole, before anything is encrypted with it: a process that is killed
 * leaves the old file or the new one.
 */
export function keepSecrets(path: string, made: Readonly<Record<string, string>>): void {
  mkdirSync(dirname(path), { recursive: true });
  const before = existsSync(path) ? readFileSync(path, 'utf8') : introduction;
  const lines = Object.entries(made).map(([name, value]) => `${name}=${value}\n`);
  const temporary = `${path}.${process.pid}.new`;
  const file = openSync(temporary, 'wx', fileMode);
  try {
    writeSync(file, before + lines.join(''));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
  syncFolder(dirname(path));
}

const introduction = `# Made by the first run of Latchkey. The master key and its salt derive every content key:
# whoever has them can play everything, and without them everything encrypted is lost. Back this file up.
`;

function isSet(env: Environment, name: string): boolean {
  return Boolean(env[name] || env[`${name}_FILE`]);
}

/** A rename is lasting once its folder is on the disk. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { masterKeyNames } from '../keys/derive-from-env.ts';
import { refusal } from '../refusal.ts';
import { writeNewFile } from '../write-file.ts';
import { parsePositiveInteger } from './option-parsers.ts';

/** 256 bits, as `docs/reference/contract.md#words`, `#api-keys` and `docs/operate/configuration.md` demand of these secrets. */
const secretBytes = 32;

/** Everything that a server keeps secret, by the name of its variable; the last four are for the Postgres of compose.yaml. */
const secretNames = [
  'MASTER_KEY_HEX',
  'SALT_HEX',
  'AUTH_JWT_SECRET',
  'ADMIN_API_KEY',
  'INTERNAL_SECRET',
  'POSTGRES_PASSWORD',
  'AUTH_DATABASE_PASSWORD',
  'CONTENT_DATABASE_PASSWORD',
  'LEASES_DATABASE_PASSWORD',
] as const;

type SecretName = (typeof secretNames)[number];

interface KeygenOptions {
  readonly out?: string;
  readonly only?: readonly SecretName[];
  readonly versionNumber?: number;
}

const masterKeyPair: readonly SecretName[] = ['MASTER_KEY_HEX', 'SALT_HEX'];

/** `latchkey keygen`: the secrets of a new server, or the next version of its master key. */
export function registerKeygen(program: Command, { stdout, stderr, randomBytes }: CommandContext): void {
  program
    .command('keygen')
    .description('make the secrets of a server, as lines of an env file')
    .option('--out <file>', 'write them to a new file, readable by you alone (default: standard output)')
    .option('--only <names>', `some of them, with commas between: ${secretNames.join(', ')}`, parseNames)
    .option(
      '--version-number <n>',
      'make version n of the master key and its salt, to rotate them: MASTER_KEY_HEX_V<n> and SALT_HEX_V<n>',
      parsePositiveInteger,
    )
    .addHelpText(
      'after',
      `
Examples:
  latchkey keygen --out latchkey.env
  latchkey keygen --version-number 2 >> latchkey.env
  latchkey keygen --only ADMIN_API_KEY`,
    )
    .action(async (options: KeygenOptions) => {
      const names = options.only ?? (options.versionNumber === undefined ? secretNames : masterKeyPair);
      const versioned = masterKeyPair.some((name) => names.includes(name));
      if (options.versionNumber !== undefined && !versioned) {
        throw refusal('--version-number is for MASTER_KEY_HEX and SALT_HEX, and --only names neither');
      }
      const makeSecret = () => Buffer.from(randomBytes(secretBytes));
      const lines = names.map((name) => makeLine(name, options.versionNumber ?? 1, makeSecret()));
      const text = lines.join('');
      if (options.out === undefined) stdout.write(text);
      else {
        await writeNewFile(options.out, text);
        stderr.write(`Written to ${options.out}, readable by you alone.\n`);
      }
      if (versioned) {
        stderr.write(
          'Keep a copy of the master key and its salt where you keep what must not be lost: ' +
            'if you lose them, you lose all content that was encrypted with them.\n',
        );
      }
    });
}

function parseNames(text: string): SecretName[] {
  return text.split(',').map((part) => {
    const name = secretNames.find((known) => known === part.trim());
    if (!name) throw new InvalidArgumentError(`Accepted, with commas between: ${secretNames.join(', ')}.`);
    return name;
  });
}

/** A secret as a line of an env file. @param version of the master key: 2 makes `MASTER_KEY_HEX_V2` and `SALT_HEX_V2` */
function makeLine(name: SecretName, version: number, secret: Buffer): string {
  const { key, salt } = masterKeyNames(version);
  const variable = name === 'MASTER_KEY_HEX' ? key : name === 'SALT_HEX' ? salt : name;
  // Hexadecimal digits need no escape in the URLs that contain the passwords.
  const hex = `${name === 'ADMIN_API_KEY' ? 'lk_' : ''}${secret.toString('hex')}`;
  return `${variable}=${name === 'AUTH_JWT_SECRET' ? `base64:${secret.toString('base64')}` : hex}\n`;
}

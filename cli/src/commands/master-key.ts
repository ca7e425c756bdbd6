import { createSecretKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { openProviders, type Providers } from '@latchkey/key-derivation/custody';
import { type CustodianSettings, custodians, masterKeys, readConfig } from '@latchkey/shared/config';
import { createMasterKey, deriveFingerprint, type MasterKey } from '@latchkey/shared/derivation';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { masterKeyNames, readMasterKey } from '../keys/derive-from-env.ts';
import type { Variables } from '../keys/variables.ts';
import { failure, refusal, refuseUnreadable } from '../refusal.ts';
import { withDatabase } from '../with-database.ts';
import { writeNewFile } from '../write-file.ts';
import { parsePositiveInteger } from './option-parsers.ts';

/** `latchkey master-key`: moves the master key into a vault, and checks the key in the vault. */
export function registerMasterKey(program: Command, context: CommandContext): void {
  const masterKey = program
    .command('master-key')
    .description('the master key in an HSM or a KMS: docs/operate/custody.md');
  registerExtract(masterKey, context);
  registerImport(masterKey, context);
  registerCheck(masterKey, context);
}

const versionOption = [
  '--version-number <n>',
  'the version of the master key',
  parsePositiveInteger,
  1,
] as const;

function registerExtract(masterKey: Command, { env, stdout, stderr }: CommandContext): void {
  masterKey
    .command('extract')
    .description('compute the key that a vault needs from MASTER_KEY_HEX and SALT_HEX (RFC 5869, extract)')
    .requiredOption('--out <file>', 'write it to a new file, readable by you alone; - is standard output')
    .option(...versionOption)
    .addHelpText(
      'after',
      `
The file has 64 hexadecimal digits. It is as secret as the master key: import it, check it, and destroy it.

Example:
  latchkey master-key extract --out extracted.key`,
    )
    .action(async ({ out, versionNumber }: { out: string; versionNumber: number }) => {
      const masterKey = readMasterKey(env, versionNumber);
      const text = `${masterKey.pseudoRandomKey.export().toString('hex')}\n`;
      if (out === '-') stdout.write(text);
      else {
        await writeNewFile(out, text);
        stderr.write(`Written to ${out}, readable by you alone. It is as secret as the master key.\n`);
      }
      stderr.write(
        `Its fingerprint is ${await deriveFingerprint(masterKey)}: \`latchkey master-key check\` must show the same once it is imported.\n`,
      );
    });
}

function registerImport(masterKey: Command, { env, stdout }: CommandContext): void {
  masterKey
    .command('import')
    .description('store the extracted key where MASTER_KEY_PROVIDER says, and check it there')
    .option('--extracted <file>', 'the file of `master-key extract` (default: MASTER_KEY_HEX and SALT_HEX)')
    .option(...versionOption)
    .addHelpText(
      'after',
      `
It needs the variables of the provider, as the server does, and the right to store a key, which the server does not need.

Example:
  MASTER_KEY_PROVIDER=pkcs11 PKCS11_MODULE=/usr/lib/softhsm/libsofthsm2.so PKCS11_TOKEN_LABEL=latchkey \\
    PKCS11_KEY_LABEL=latchkey-1 PKCS11_PIN_FILE=pin latchkey master-key import --extracted extracted.key`,
    )
    .action(async ({ extracted, versionNumber }: { extracted?: string; versionNumber: number }) => {
      const settings = readCustodian(env, versionNumber);
      const key =
        extracted === undefined
          ? readMasterKey(env, versionNumber)
          : await readExtractedKey(extracted, versionNumber);
      const expected = await deriveFingerprint(key);
      const found = await withProviders([settings], async (providers) => {
        await providers.importKey(settings, key.pseudoRandomKey.export());
        return fingerprintAt(providers, settings);
      });
      if (found !== expected)
        throw failure(
          `the provider computes with another key than the one that was given: its fingerprint is ${found}, not ${expected}`,
        );
      stdout.write(`version ${versionNumber} is stored at ${settings.provider}, fingerprint ${found}\n`);
    });
}

function registerCheck(masterKey: Command, { env, stdout }: CommandContext): void {
  masterKey
    .command('check')
    .description('ask every version of the master key for its fingerprint, and compare it with the database')
    .option('--no-database', 'do not compare: for a machine that does not reach the database')
    .addHelpText(
      'after',
      `
It reads the configuration of the server. Its exit code is 1 if a version does not answer or is not the one that the database knows.`,
    )
    .action(async ({ database }: { database: boolean }) => {
      const { values } = readConfig({ masterKeys, custodians }, env);
      const found: { version: number; provider: string; fingerprint: string }[] = [];
      for (const { version, masterKey, salt } of values.masterKeys.reveal()) {
        const fingerprint = await deriveFingerprint(createMasterKey(version, masterKey, salt));
        found.push({ version, provider: 'env', fingerprint });
      }
      const faults: string[] = [];
      await withProviders(values.custodians, async (providers) => {
        for (const settings of values.custodians) {
          const { version, provider } = settings;
          try {
            found.push({ version, provider, fingerprint: await fingerprintAt(providers, settings) });
          } catch (error) {
            faults.push(`version ${version}: ${provider} does not answer: ${(error as Error).message}`);
          }
        }
      });
      if (found.length === 0 && faults.length === 0)
        throw refusal(
          'no version of the master key is configured; set MASTER_KEY_HEX and SALT_HEX, or MASTER_KEY_PROVIDER',
        );
      const known = database ? await readKnown(env) : null;
      for (const { version, provider, fingerprint } of found.sort((a, b) => a.version - b.version)) {
        const stored = known?.fingerprints.get(version);
        const isOther = stored !== undefined && stored !== fingerprint;
        const says = describeComparison(known?.name, stored, isOther);
        if (isOther) faults.push(`version ${version} ${says}`);
        stdout.write(`version ${version}: ${provider}, fingerprint ${fingerprint}, ${says}\n`);
      }
      if (faults.length > 0) throw failure(`the master key cannot be used: ${faults.join('; ')}`);
    });
}

/** The key in a file that `latchkey master-key extract` wrote. @throws AppError `VALIDATION_FAILED` */
async function readExtractedKey(path: string, version: number): Promise<MasterKey> {
  const text = await readFile(path, 'latin1').catch(refuseUnreadable(`--extracted ${path}`));
  if (/^[0-9a-f]{64}$/i.test(text.trim()))
    return { version, pseudoRandomKey: createSecretKey(text.trim(), 'hex') };
  throw refusal(
    `--extracted ${path} is not the file of \`latchkey master-key extract\`; accepted: 64 hex digits`,
  );
}

/**
 * Where a version is to be stored, as the server reads it. The key itself may be in the environment too: it is on its way.
 *
 * @throws ConfigError with every fault; AppError `VALIDATION_FAILED` if the version names no provider
 */
function readCustodian(env: Variables, version: number): CustodianSettings {
  const { key, salt } = masterKeyNames(version);
  const others = Object.entries(env).filter(
    ([name]) => ![key, salt, `${key}_FILE`, `${salt}_FILE`].includes(name),
  );
  const { values } = readConfig({ custodians }, Object.fromEntries(others));
  const settings = values.custodians.find((each) => each.version === version);
  if (settings) return settings;
  const name = `MASTER_KEY_PROVIDER${version === 1 ? '' : `_V${version}`}`;
  throw refusal(
    `${name} is not set; it says where the key is to be stored. Accepted: pkcs11, aws-kms, vault-transit`,
  );
}

/** Longer than the server waits: an operator looks on. */
const answerLimitMs = 10_000;

/** Opens the providers that the settings name for the work, and closes them after it. */
async function withProviders<T>(
  settings: readonly CustodianSettings[],
  work: (providers: Providers) => Promise<T>,
): Promise<T> {
  const providers = await openProviders(settings);
  try {
    return await work(providers);
  } finally {
    await providers.close();
  }
}

/** The fingerprint of the key that the provider has. @throws CustodianFault; DOMException `TimeoutError` without an answer in time */
function fingerprintAt(providers: Providers, settings: CustodianSettings): Promise<string> {
  const custodian = providers.open(settings);
  const mac = (message: Uint8Array) => custodian.mac(message, AbortSignal.timeout(answerLimitMs));
  return deriveFingerprint({ version: settings.version, mac });
}

/** The fingerprint of each version that the database knows, and the name of the database. */
function readKnown(env: Variables) {
  return withDatabase(env, { mayCreate: false }, async (db, name) => {
    const rows = await db.selectFrom('key_versions').select(['version', 'fingerprint']).execute();
    return { name, fingerprints: new Map(rows.map((row) => [row.version, row.fingerprint])) };
  });
}

/** @param name of the database; undefined if there is no comparison @param stored the fingerprint there, if it has one */
function describeComparison(name: string | undefined, stored: string | undefined, isOther: boolean): string {
  if (name === undefined) return 'not compared with a database';
  if (stored === undefined) return `not in use yet in ${name}`;
  return isOther ? `is not the one that ${name} knows, ${stored}` : `is the one that ${name} knows`;
}

import type { MasterKeyMaterial } from './master-keys.ts';
import type { Rule } from './read-config.ts';
import type { Secret } from './secret.ts';
import type { Fault } from './source.ts';

/**
 * 16 characters hold 64 bits even in hexadecimal. At a million guesses a second, half of all values take some 300,000
 * years.
 */
const soundCharacters = 16;
/**
 * Of 32 random bytes some 30 differ; of 32 random hex digits, 14. Fewer than 8 do not happen by chance (under one in a
 * billion).
 */
const soundVariety = 8;
/** A longer pattern has enough different bytes to be a chosen value and not a placeholder. */
const longestPatternBytes = 8;

const credentialForms = `${soundCharacters} or more characters at random, such as those of \`npx latchkey keygen\` or \`openssl rand -hex 32\``;
const keyForms = '64 hexadecimal digits at random, such as those of `npx latchkey keygen`';
const secretForms = '32 or more bytes at random, such as those of `npx latchkey keygen`';

interface SecretValues {
  nodeEnv?: string | undefined;
  adminApiKey?: Secret<string> | undefined;
  adminApiKeyPrevious?: Secret<readonly string[]>;
  setupToken?: Secret<string> | undefined;
  internalSecret?: Secret<string>;
  internalSecretPrevious?: Secret<readonly string[]>;
  authJwtSecret?: Secret<Buffer> | undefined;
  authJwtSecretPrevious?: Secret<readonly Buffer[]>;
  masterKeys?: Secret<readonly MasterKeyMaterial[]>;
}

/**
 * `NODE_ENV=production` refuses secrets that can be guessed: short ones, a repeated pattern, or very few different
 * characters. There is one rule for each variable, so that a fault of one does not hide a fault of another.
 */
export const weakSecretRules: readonly Rule<SecretValues>[] = [
  credentialRule('adminApiKey', 'ADMIN_API_KEY'),
  credentialRule('adminApiKeyPrevious', 'ADMIN_API_KEY_PREVIOUS'),
  credentialRule('setupToken', 'SETUP_TOKEN'),
  credentialRule('internalSecret', 'INTERNAL_SECRET'),
  credentialRule('internalSecretPrevious', 'INTERNAL_SECRET_PREVIOUS'),
  tokenSecretRule('authJwtSecret', 'AUTH_JWT_SECRET'),
  tokenSecretRule('authJwtSecretPrevious', 'AUTH_JWT_SECRET_PREVIOUS'),
  {
    uses: ['nodeEnv', 'masterKeys'],
    check: ({ nodeEnv, masterKeys }) =>
      nodeEnv === 'production' && masterKeys ? masterKeys.reveal().flatMap(checkVersion) : [],
  },
];

function credentialRule(
  key: 'adminApiKey' | 'adminApiKeyPrevious' | 'setupToken' | 'internalSecret' | 'internalSecretPrevious',
  name: string,
): Rule<SecretValues> {
  return {
    uses: ['nodeEnv', key],
    check(values) {
      if (values.nodeEnv !== 'production') return [];
      const weakness = [values[key]?.reveal() ?? []].flat().map(weaknessOfText).find(Boolean);
      return weakness ? [refuse(name, weakness, credentialForms)] : [];
    },
  };
}

function tokenSecretRule(key: 'authJwtSecret' | 'authJwtSecretPrevious', name: string): Rule<SecretValues> {
  return {
    uses: ['nodeEnv', key],
    check(values) {
      if (values.nodeEnv !== 'production') return [];
      const weakness = [values[key]?.reveal() ?? []].flat().map(weaknessOf).find(Boolean);
      return weakness ? [refuse(name, weakness, secretForms)] : [];
    },
  };
}

function weaknessOfText(text: string): string | null {
  return text.length < soundCharacters
    ? `has ${text.length} characters, fewer than ${soundCharacters}`
    : weaknessOf(Buffer.from(text));
}

function checkVersion({ version, masterKey, salt }: MasterKeyMaterial): Fault[] {
  const suffix = version === 1 ? '' : `_V${version}`;
  const [keyName, saltName] = [`MASTER_KEY_HEX${suffix}`, `SALT_HEX${suffix}`];
  const faults: Fault[] = [];
  const weakKey = weaknessOf(masterKey);
  const weakSalt = masterKey.equals(salt) ? `is the same as ${keyName}` : weaknessOf(salt);
  // Content that was encrypted with them needs them for decryption.
  const wayOut = `Content that was encrypted with it still needs it: add a sound version ${version + 1}, run without NODE_ENV=production meanwhile, and encrypt that content again`;
  if (weakKey) faults.push(refuse(keyName, weakKey, keyForms, wayOut));
  if (weakSalt) faults.push(refuse(saltName, weakSalt, keyForms, wayOut));
  return faults;
}

/** @returns what makes bytes easy to guess; null for those that may be random */
function weaknessOf(bytes: Buffer): string | null {
  if (isRepeated(bytes)) return 'repeats one short pattern';
  const variety = new Set(bytes).size;
  return variety < soundVariety ? `has only ${variety} different characters` : null;
}

function isRepeated(bytes: Buffer): boolean {
  for (let period = 1; period <= longestPatternBytes; period++) {
    // The last repetition may be cut short.
    if (bytes.subarray(period).equals(bytes.subarray(0, bytes.length - period))) return true;
  }
  return false;
}

function refuse(variable: string, weakness: string, forms: string, wayOut?: string): Fault {
  const message = `The value of ${variable} (not shown here) ${weakness}, which NODE_ENV=production does not allow. Accepted: ${forms}.${wayOut ? ` ${wayOut}.` : ''}`;
  return { variable, message };
}

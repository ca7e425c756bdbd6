import { bearerCredential, furtherSecrets, secret } from '../forms.ts';
import type { Issuer } from '../issuers.ts';
import type { MasterKeyMaterial } from '../master-keys.ts';
import type { Secret } from '../secret.ts';
import { type Report, valueName } from '../settings.ts';

/** The credentials that exist before any API key is stored. */
export const apiKeyVariables = {
  ADMIN_API_KEY: secret(bearerCredential)
    .optional()
    .describe('The bootstrap key: accepted with scope admin, never stored. Unset: there is none.'),
  ADMIN_API_KEY_PREVIOUS: furtherSecrets(bearerCredential).describe(
    'Bootstrap keys that are accepted in addition to ADMIN_API_KEY while it is replaced.',
  ),
  SETUP_TOKEN: secret(bearerCredential)
    .optional()
    .describe('The token that POST /api/v1/setup requires. Unset: not required.'),
};

/**
 * 16 characters hold 64 bits even in hexadecimal. At a million guesses a second, half of all values take some 300,000
 * years.
 */
const soundCharacters = 16;
/** 32 characters hold 128 bits even in hexadecimal. A shorter credential is worth a warning. */
const bestCharacters = 32;
/**
 * Of 32 random bytes some 30 differ; of 32 random hex digits, 14. Fewer than 8 do not happen by chance (under one in a
 * billion).
 */
const soundVariety = 8;
/** A longer pattern has enough different bytes to be a chosen value and not a placeholder. */
const longestPatternBytes = 8;

const soundForms = {
  credential: `${soundCharacters} or more characters at random, such as \`npx latchkey keygen\` or \`openssl rand -hex 32\` prints`,
  key: '64 hexadecimal digits at random, such as `npx latchkey keygen` prints',
  tokenSecret: '32 or more bytes at random, such as `npx latchkey keygen` prints',
};

interface SecretValues {
  readonly nodeEnv?: string | undefined;
  readonly masterKeys?: Secret<readonly MasterKeyMaterial[]>;
  readonly authIssuers?: Secret<readonly Issuer[]> | undefined;
}

/** The credentials and token secrets of a variable. */
function reveal(values: SecretValues, name: string): (string | Buffer)[] {
  const held = (values as Record<string, Secret<string | Buffer | (string | Buffer)[]> | undefined>)[
    valueName(name)
  ];
  return [held?.reveal() ?? []].flat();
}

/** A credential is short below 16 characters. */
function credentialRule(name: string) {
  return (values: SecretValues, { refuse, warn }: Report): void => {
    const credentials = reveal(values, name);
    const shortest = Math.min(...credentials.map(({ length }) => length));
    if (shortest < bestCharacters)
      warn(name, `has ${shortest} characters: take ${bestCharacters} or more, at random`);
    const isShort = shortest < soundCharacters;
    const short = `has ${shortest} characters, fewer than ${soundCharacters}`;
    const weakness = isShort ? short : credentials.map(weaknessOf).find(Boolean);
    if (weakness && values.nodeEnv === 'production') refuse(name, refusal(weakness, soundForms.credential));
  };
}

/** The form of a token secret has a length already. */
function tokenSecretRule(name: string) {
  return (values: SecretValues, { refuse }: Report): void => {
    const weakness = reveal(values, name).map(weaknessOf).find(Boolean);
    if (weakness && values.nodeEnv === 'production') refuse(name, refusal(weakness, soundForms.tokenSecret));
  };
}

function checkIssuerSecrets({ nodeEnv, authIssuers }: SecretValues, { refuse }: Report): void {
  if (nodeEnv !== 'production') return;
  for (const { name, secrets } of authIssuers?.reveal() ?? []) {
    const weakness = secrets?.map((each) => weaknessOf(Buffer.from(each))).find(Boolean);
    if (weakness)
      refuse(
        'AUTH_ISSUERS',
        `has an entry, ${name}, whose secret ${refusal(weakness, soundForms.tokenSecret)}`,
      );
  }
}

function checkMasterKeys({ nodeEnv, masterKeys }: SecretValues, { refuse }: Report): void {
  if (nodeEnv !== 'production') return;
  for (const { version, masterKey, salt } of masterKeys?.reveal() ?? []) {
    const suffix = version === 1 ? '' : `_V${version}`;
    const keyName = `MASTER_KEY_HEX${suffix}`;
    // Content that was encrypted with them needs them for decryption.
    const wayOut = `. Content that was encrypted with it still needs it: add a sound version ${version + 1}, run without NODE_ENV=production meanwhile, and encrypt that content again`;
    const weakKey = weaknessOf(masterKey);
    const weakSalt = masterKey.equals(salt) ? `is the same as ${keyName}` : weaknessOf(salt);
    if (weakKey) refuse(keyName, refusal(weakKey, soundForms.key + wayOut));
    if (weakSalt) refuse(`SALT_HEX${suffix}`, refusal(weakSalt, soundForms.key + wayOut));
  }
}

const refusal = (weakness: string, forms: string) =>
  `(not shown here) ${weakness}, which NODE_ENV=production does not allow. Accepted: ${forms}`;

/** @returns why the bytes are easy to guess; undefined if they may be random */
function weaknessOf(secret: string | Buffer): string | undefined {
  const bytes = Buffer.from(secret as string);
  if (isRepeated(bytes)) return 'repeats one short pattern';
  const variety = new Set(bytes).size;
  return variety < soundVariety ? `has only ${variety} different characters` : undefined;
}

function isRepeated(bytes: Buffer): boolean {
  for (let period = 1; period <= longestPatternBytes; period++) {
    // The last repetition may be cut short.
    if (bytes.subarray(period).equals(bytes.subarray(0, bytes.length - period))) return true;
  }
  return false;
}

const credentials = [
  ...[
    'ADMIN_API_KEY',
    'ADMIN_API_KEY_PREVIOUS',
    'SETUP_TOKEN',
    'INTERNAL_SECRET',
    'INTERNAL_SECRET_PREVIOUS',
  ],
  ...['AUTH_DATABASE_PASSWORD', 'CONTENT_DATABASE_PASSWORD', 'LEASES_DATABASE_PASSWORD'],
];

/**
 * `NODE_ENV=production` refuses secrets that can be guessed: short ones, a repeated pattern, or very few different
 * characters. Each variable has a rule, so that a fault of one does not hide a fault of another.
 */
export const weakSecretRules = [
  ...credentials.map(credentialRule),
  ...['AUTH_JWT_SECRET', 'AUTH_JWT_SECRET_PREVIOUS'].map(tokenSecretRule),
  checkIssuerSecrets,
  checkMasterKeys,
];

import { masterKeyNames } from './derive-from-env.ts';

/** 256 bits, as `docs/contract.md#words`, `#api-keys` and `docs/configuration.md` demand of these secrets. */
const secretOctets = 32;

/** Everything that a server keeps secret, by the name of its variable; the last four are for the Postgres of compose.yaml. */
export const secretNames = [
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

export type SecretName = (typeof secretNames)[number];

/**
 * Makes secrets as lines of an env file, one `NAME=value` each.
 *
 * @param version of the master key: 2 makes `MASTER_KEY_HEX_V2` and `SALT_HEX_V2`
 * @param randomOctets a cryptographic source
 */
export function makeSecrets(
  names: readonly SecretName[],
  version: number,
  randomOctets: (count: number) => Uint8Array,
): string {
  const { key, salt } = masterKeyNames(version);
  const hex = (secret: Buffer) => secret.toString('hex');
  const line: Record<SecretName, (secret: Buffer) => string> = {
    MASTER_KEY_HEX: (secret) => `${key}=${hex(secret)}`,
    SALT_HEX: (secret) => `${salt}=${hex(secret)}`,
    AUTH_JWT_SECRET: (secret) => `AUTH_JWT_SECRET=base64:${secret.toString('base64')}`,
    ADMIN_API_KEY: (secret) => `ADMIN_API_KEY=lk_${hex(secret)}`,
    INTERNAL_SECRET: (secret) => `INTERNAL_SECRET=${hex(secret)}`,
    // Hexadecimal digits stand in a URL as they are.
    POSTGRES_PASSWORD: (secret) => `POSTGRES_PASSWORD=${hex(secret)}`,
    AUTH_DATABASE_PASSWORD: (secret) => `AUTH_DATABASE_PASSWORD=${hex(secret)}`,
    CONTENT_DATABASE_PASSWORD: (secret) => `CONTENT_DATABASE_PASSWORD=${hex(secret)}`,
    LEASES_DATABASE_PASSWORD: (secret) => `LEASES_DATABASE_PASSWORD=${hex(secret)}`,
  };
  return names.map((name) => `${line[name](Buffer.from(randomOctets(secretOctets)))}\n`).join('');
}

import { bearerCredential, boolean, integer, oneOf, pemFile, secret, text, textUnless } from '../forms.ts';
import type { Report, Values } from '../settings.ts';
import { natsUrls, postgresUrl, redisUrl } from '../url-forms.ts';

/** In the working folder of the process. */
export const defaultSqlitePath = 'data/latchkey.db';

const postgresVariables = {
  DATABASE_POOL_MODE: oneOf('auto', 'session', 'transaction')
    .default('auto')
    .describe(
      'Whether a pooler such as PgBouncer gives each transaction any session of Postgres. auto: yes, if a pooler is noticed.',
    ),
  DATABASE_CA_FILE: pemFile(
    'The CA of the certificate of Postgres. Set: the certificate and its name are verified.',
  ),
  DATABASE_CERT_FILE: pemFile('The certificate that Postgres asks of its clients.'),
  DATABASE_KEY_FILE: pemFile('The private key of DATABASE_CERT_FILE.'),
};

/** Where the data is stored. */
export const databaseVariables = {
  DATABASE_URL: secret(postgresUrl)
    .optional()
    .describe('Postgres. Unset: SQLite, in the file that SQLITE_PATH names.'),
  SQLITE_PATH: text.default(defaultSqlitePath).describe('The SQLite file, where DATABASE_URL is unset.'),
  ...postgresVariables,
};

/**
 * Where separate services store their rows. They share one change feed, so they share one database. With a file for each
 * service, a replica would follow the changes of one service and miss the changes of the others.
 */
export const sharedDatabaseVariables = {
  DATABASE_URL: secret(postgresUrl).describe(
    'The Postgres that auth, content and leases share. SQLite is for the single node.',
  ),
  ...postgresVariables,
};

/** For a process that has its database to itself. Where several processes share one, the migration is a separate step. */
export const migrationVariables = {
  MIGRATE_ON_START: boolean
    .default(true)
    .describe('Brings the database up to date at the start. false leaves that to `latchkey migrate`.'),
};

/** Visible ASCII: other characters would have to be prepared as RFC 4013 says, and escaped in a URL. */
const rolePassword = (service: string) =>
  secret(bearerCredential)
    .optional()
    .describe(
      `The password of the Postgres role of ${service}. Unset: a role that exists keeps its password.`,
    );

/** The passwords that `latchkey migrate --roles` reads. The services themselves have the password in their DATABASE_URL. */
export const databaseRoleVariables = {
  AUTH_DATABASE_PASSWORD: rolePassword('auth'),
  CONTENT_DATABASE_PASSWORD: rolePassword('content'),
  LEASES_DATABASE_PASSWORD: rolePassword('leases'),
};

/** A credentials file, as `nsc` writes it: a JWT and the seed of its key. */
const natsCredentials = textUnless(
  'the text of a credentials file of NATS, best by NATS_CREDENTIALS_FILE',
  (value) => {
    const [, jwt] = value.split('-----BEGIN NATS USER JWT-----');
    const [, seed = ''] = jwt?.split('-----BEGIN USER NKEY SEED-----') ?? [];
    return /S[A-Z2-7]{57}/.test(seed) ? undefined : 'has no user JWT with its seed';
  },
);

/** https://docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_intro/nkey_auth */
const natsNkey = textUnless('the seed of a user key: `SU` and 56 characters', (value) =>
  /^SU[A-Z2-7]{56}$/.test(value) ? undefined : 'is not the seed of a user key (SU…)',
);

/** Redis and NATS make the distributed profile fast. Without them it is slower but correct. */
export const cacheAndBusVariables = {
  REDIS_URL: secret(redisUrl).optional().describe('The shared cache. Unset: a cache in the process.'),
  NATS_URL: secret(natsUrls).optional().describe('The bus between processes. Unset: a bus in the process.'),
  NATS_CREDENTIALS: secret(natsCredentials)
    .optional()
    .describe('The user of NATS by a JWT, as its credentials file says.'),
  NATS_NKEY: secret(natsNkey).optional().describe('The user of NATS by a key pair.'),
  REDIS_CA_FILE: pemFile('The CA of the certificate of Redis. Unset: the CAs that the machine knows.'),
  REDIS_CERT_FILE: pemFile('The certificate that Redis asks of its clients.'),
  REDIS_KEY_FILE: pemFile('The private key of REDIS_CERT_FILE.'),
  NATS_CA_FILE: pemFile('The CA of the certificate of NATS. Unset: the CAs that the machine knows.'),
  NATS_CERT_FILE: pemFile('The certificate that NATS asks of its clients.'),
  NATS_KEY_FILE: pemFile('The private key of NATS_CERT_FILE.'),
};

/** Files for TLS where the URL has none would leave the connection plain, and two users of NATS would leave open which one counts. */
export function checkStores(values: Partial<Values<typeof cacheAndBusVariables>>, { refuse }: Report): void {
  const { redisUrl, redisCaFile, redisCertFile, natsUrl, natsCaFile, natsCertFile } = values;
  const { natsCredentials, natsNkey } = values;
  const refuseFile = (file: string, variable: string, scheme: string) =>
    refuse(
      file,
      `is set, but ${variable} has no TLS. Accepted: a ${variable} that starts with \`${scheme}\``,
    );
  if (redisUrl && !/^rediss/i.test(redisUrl.reveal()) && (redisCaFile ?? redisCertFile))
    refuseFile(redisCaFile ? 'REDIS_CA_FILE' : 'REDIS_CERT_FILE', 'REDIS_URL', 'rediss');
  if (natsUrl && !/tls:\/\//i.test(natsUrl.reveal()) && (natsCaFile ?? natsCertFile))
    refuseFile(natsCaFile ? 'NATS_CA_FILE' : 'NATS_CERT_FILE', 'NATS_URL', 'tls://');
  const users = [
    ...(natsUrl?.reveal().includes('@') ? ['a user in NATS_URL'] : []),
    ...(natsCredentials ? ['NATS_CREDENTIALS'] : []),
    ...(natsNkey ? ['NATS_NKEY'] : []),
  ];
  if (users.length > 1)
    refuse('NATS_URL', `cannot be used: ${users.join(' and ')} are set. Accepted: one of them`);
}

/** The bound of `docs/reference/contract.md#age-of-a-state`. A larger value delays revocations, so each start warns of it. */
const promisedSeconds = 5;

/** How long cached leases, contents and API keys are trusted without confirmation. */
export const authorityVariables = {
  // From one second (below that, a busy database looks like a lost one) to five minutes.
  AUTHORITY_MAX_AGE_SECONDS: integer(1, 300)
    .default(promisedSeconds)
    .describe(
      'The age after which a state that could not be confirmed is unknown, and a key request gets 503. Larger plays on longer through an outage of the database, and lets revocations be late by as much.',
    ),
};

export function warnOfLateRevocations(
  { authorityMaxAgeSeconds: seconds = 0 }: Partial<Values<typeof authorityVariables>>,
  { warn }: Report,
): void {
  if (seconds <= promisedSeconds) return;
  warn(
    'AUTHORITY_MAX_AGE_SECONDS',
    `is ${seconds}: while the database cannot be reached, a revocation may take ${seconds} seconds to hold, instead of ${promisedSeconds}`,
  );
}

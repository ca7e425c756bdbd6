import { list, secret, text } from '../parsers.ts';
import type { Rule } from '../read-config.ts';
import { Secret } from '../secret.ts';
import { bearerCredential, several } from '../secret-parsers.ts';
import { natsCredentials, natsNkey, natsUrls, redisUrl } from '../store-urls.ts';
import { url } from '../url-parsers.ts';
import { type Setting, variable } from '../variable.ts';
import { defaultPorts } from './http.ts';

/** How the processes of the distributed profile authenticate each other. */
export const internalVariables = {
  internalSecret: variable({
    name: 'INTERNAL_SECRET',
    type: secret(bearerCredential),
    required: true,
    renewable: true,
    about: 'Authenticates service to service; the same in every process.',
  }),
  internalSecretPrevious: variable({
    name: 'INTERNAL_SECRET_PREVIOUS',
    type: secret(several(bearerCredential)),
    fallback: new Secret<readonly string[]>([]),
    renewable: true,
    mayBeEmpty: true,
    about: 'Accepted beside INTERNAL_SECRET while it is replaced: first the next one, then the one before.',
  }),
};

/** Redis and NATS make the distributed profile fast. Without them it is slower but correct. */
export const cacheAndBusVariables = {
  redisUrl: variable({
    name: 'REDIS_URL',
    type: secret(redisUrl),
    renewable: true,
    about: 'The shared cache. Unset: a cache in the process.',
  }),
  natsUrl: variable({
    name: 'NATS_URL',
    type: secret(natsUrls),
    renewable: true,
    about: 'The bus between processes. Unset: a bus in the process.',
  }),
  natsCredentials: variable({
    name: 'NATS_CREDENTIALS',
    type: secret(natsCredentials),
    renewable: true,
    about: 'The user of NATS by a JWT, as its credentials file says.',
  }),
  natsNkey: variable({
    name: 'NATS_NKEY',
    type: secret(natsNkey),
    renewable: true,
    about: 'The user of NATS by a key pair.',
  }),
  ...tlsFileVariables('redis', 'REDIS', 'Redis'),
  ...tlsFileVariables('nats', 'NATS', 'NATS'),
};

/** The files for TLS to a dependency. They are read again when they have changed. */
function tlsFileVariables<const P extends string>(key: P, prefix: string, name: string) {
  const file = (kind: string, about: string) =>
    variable({ name: `${prefix}_${kind}_FILE`, type: text, about });
  return {
    [`${key}CaFile`]: file(
      'CA',
      `The CA of the certificate of ${name}, as a PEM file. Unset: those that the machine knows.`,
    ),
    [`${key}CertFile`]: file('CERT', `The certificate that ${name} asks of its clients, as a PEM file.`),
    [`${key}KeyFile`]: file('KEY', `The private key of ${prefix}_CERT_FILE, as a PEM file.`),
  } as Record<`${P}${'Ca' | 'Cert' | 'Key'}File`, Setting<string | undefined>>;
}

/** Addresses of the services, for the gateway and for each other. A process picks those of the services that it calls. */
export const serviceUrlVariables = {
  keyDerivationUrls: serviceUrls('KEY_DERIVATION_SERVICE_URL', defaultPorts.keyDerivation),
  leasesUrls: serviceUrls('LEASES_SERVICE_URL', defaultPorts.leases),
  authUrls: serviceUrls('AUTH_SERVICE_URL', defaultPorts.auth),
  contentUrls: serviceUrls('CONTENT_SERVICE_URL', defaultPorts.content),
  playbackUrls: serviceUrls('PLAYBACK_SERVICE_URL', defaultPorts.playback),
};

function serviceUrls(name: string, port: number) {
  return variable({
    name,
    type: list(url('http', 'https')),
    fallback: [`http://127.0.0.1:${port}`],
    about:
      'Where that service answers: one URL or several. A name with several addresses stands for all of them.',
  });
}

interface StoreValues {
  redisUrl?: { reveal(): string } | undefined;
  redisCaFile?: string | undefined;
  redisCertFile?: string | undefined;
  natsUrl?: { reveal(): string } | undefined;
  natsCaFile?: string | undefined;
  natsCertFile?: string | undefined;
  natsCredentials?: unknown;
  natsNkey?: unknown;
}

/** Files for TLS where the URL has none would leave the connection plain, and two users of NATS would leave open which one counts. */
export const storeRule: Rule<StoreValues> = {
  uses: [
    'redisUrl',
    'redisCaFile',
    'redisCertFile',
    'natsUrl',
    'natsCaFile',
    'natsCertFile',
    'natsCredentials',
    'natsNkey',
  ],
  check(values) {
    const { redisUrl: redis, natsUrl: nats } = values;
    const faults: { variable: string; message: string }[] = [];
    const plain = (name: string, kinds: (string | undefined)[], scheme: string) => {
      const index = kinds.findIndex((kind) => kind !== undefined);
      if (index < 0) return;
      const file = `${name}_${['CA', 'CERT'][index]}_FILE`;
      const message = `${file} is set, but ${name}_URL has no TLS. Accepted: a ${name}_URL that starts with \`${scheme}\`.`;
      faults.push({ variable: file, message });
    };
    if (redis && !/^rediss/i.test(redis.reveal()))
      plain('REDIS', [values.redisCaFile, values.redisCertFile], 'rediss');
    if (nats && !/tls:\/\//i.test(nats.reveal()))
      plain('NATS', [values.natsCaFile, values.natsCertFile], 'tls://');
    const users = [
      ...(nats?.reveal().includes('@') ? ['a user in NATS_URL'] : []),
      ...(values.natsCredentials ? ['NATS_CREDENTIALS'] : []),
      ...(values.natsNkey ? ['NATS_NKEY'] : []),
    ];
    if (users.length > 1)
      faults.push({
        variable: 'NATS_URL',
        message: `${users.join(' and ')} are set. Accepted: one of them.`,
      });
    return faults;
  },
};

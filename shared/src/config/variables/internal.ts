import { list, secret } from '../parsers.ts';
import type { Rule } from '../read-config.ts';
import { Secret } from '../secret.ts';
import { bearerCredential, several } from '../secret-parsers.ts';
import { natsCredentials, natsNkey, natsUrls, redisUrl } from '../store-urls.ts';
import { url } from '../url-parsers.ts';
import { variable } from '../variable.ts';
import { defaultPorts } from './http.ts';
import { type TlsFileTexts, tlsFileVariables } from './tls-file-variables.ts';

/** How the processes of the distributed profile authenticate each other. */
export const internalVariables = {
  internalSecret: variable({
    name: 'INTERNAL_SECRET',
    type: secret(bearerCredential),
    required: true,
    about: 'Authenticates service to service; the same in every process.',
  }),
  internalSecretPrevious: variable({
    name: 'INTERNAL_SECRET_PREVIOUS',
    type: secret(several(bearerCredential)),
    fallback: new Secret<readonly string[]>([]),
    mayBeEmpty: true,
    about: 'Accepted beside INTERNAL_SECRET while it is replaced: first the next one, then the one before.',
  }),
  ...tlsFileVariables('internalTls', 'INTERNAL_TLS', {
    ca: 'The CA of the certificates of the services and of the gateway, as a PEM file. With the other two files, they speak TLS with each other.',
    cert: 'The certificate of this process, as a PEM file. A service answers processes that show one of this CA.',
  }),
};

function storeFiles(name: string): TlsFileTexts {
  return {
    ca: `The CA of the certificate of ${name}, as a PEM file. Unset: those that the machine knows.`,
    cert: `The certificate that ${name} asks of its clients, as a PEM file.`,
  };
}

/** Redis and NATS make the distributed profile fast. Without them it is slower but correct. */
export const cacheAndBusVariables = {
  redisUrl: variable({
    name: 'REDIS_URL',
    type: secret(redisUrl),
    about: 'The shared cache. Unset: a cache in the process.',
  }),
  natsUrl: variable({
    name: 'NATS_URL',
    type: secret(natsUrls),
    about: 'The bus between processes. Unset: a bus in the process.',
  }),
  natsCredentials: variable({
    name: 'NATS_CREDENTIALS',
    type: secret(natsCredentials),
    about: 'The user of NATS by a JWT, as its credentials file says.',
  }),
  natsNkey: variable({
    name: 'NATS_NKEY',
    type: secret(natsNkey),
    about: 'The user of NATS by a key pair.',
  }),
  ...tlsFileVariables('redis', 'REDIS', storeFiles('Redis')),
  ...tlsFileVariables('nats', 'NATS', storeFiles('NATS')),
};

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

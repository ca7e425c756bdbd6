import { list, secret } from '../parsers.ts';
import { bearerCredential } from '../secret-parsers.ts';
import { connectionString, redisUrl, url } from '../url-parsers.ts';
import { variable } from '../variable.ts';
import { defaultPorts } from './http.ts';

/** How the processes of the distributed profile authenticate each other. */
export const internalVariables = {
  internalSecret: variable({
    name: 'INTERNAL_SECRET',
    type: secret(bearerCredential),
    required: true,
    about: 'Authenticates service to service; the same in every process.',
  }),
};

/** Redis and NATS make the distributed profile fast. Without them it is slower but correct. */
export const cacheAndBusVariables = {
  redisUrl: variable({
    name: 'REDIS_URL',
    type: secret(redisUrl),
    about: 'The shared cache. Unset: a cache in the process.',
  }),
  natsUrl: variable({
    name: 'NATS_URL',
    type: secret(connectionString('nats', 'tls')),
    about: 'The bus between processes. Unset: a bus in the process.',
  }),
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

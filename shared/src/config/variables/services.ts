import { bearerCredential, furtherSecrets, list, pemFile, secret } from '../forms.ts';
import { type Report, type Values, valueName } from '../settings.ts';
import { url } from '../url-forms.ts';
import { defaultPorts } from './process.ts';

/** How the processes of the distributed profile authenticate each other. */
export const internalVariables = {
  INTERNAL_SECRET: secret(bearerCredential).describe(
    'Authenticates service to service; the same in every process.',
  ),
  INTERNAL_SECRET_PREVIOUS: furtherSecrets(bearerCredential).describe(
    'Accepted in addition to INTERNAL_SECRET while it is replaced: first the next one, then the one before.',
  ),
  INTERNAL_TLS_CA_FILE: pemFile(
    'The CA of the certificates of the services and of the gateway. With the other two files, they speak TLS with each other.',
  ),
  INTERNAL_TLS_CERT_FILE: pemFile(
    'The certificate of this process. A service answers processes that show one of this CA.',
  ),
  INTERNAL_TLS_KEY_FILE: pemFile('The private key of INTERNAL_TLS_CERT_FILE.'),
};

const serviceUrls = (port: number) =>
  list(url('http', 'https'))
    .default([`http://127.0.0.1:${port}`])
    .describe(
      'Where that service answers: one URL or several. If a name has several addresses, all of them are used.',
    );

/** Addresses of the services, for the gateway and for each other. A process picks the addresses of the services that it calls. */
export const serviceUrlVariables = {
  KEY_DERIVATION_SERVICE_URL: serviceUrls(defaultPorts.keyDerivation),
  LEASES_SERVICE_URL: serviceUrls(defaultPorts.leases),
  AUTH_SERVICE_URL: serviceUrls(defaultPorts.auth),
  CONTENT_SERVICE_URL: serviceUrls(defaultPorts.content),
  PLAYBACK_SERVICE_URL: serviceUrls(defaultPorts.playback),
};

type ServiceValues = Partial<Values<typeof internalVariables & typeof serviceUrlVariables>>;

/** With some of the files, a process would verify the others without proving itself, or the other way around. */
function checkTlsFiles(
  { internalTlsCaFile, internalTlsCertFile, internalTlsKeyFile }: ServiceValues,
  { refuse }: Report,
): void {
  const files = Object.entries({
    INTERNAL_TLS_CA_FILE: internalTlsCaFile,
    INTERNAL_TLS_CERT_FILE: internalTlsCertFile,
    INTERNAL_TLS_KEY_FILE: internalTlsKeyFile,
  });
  const [first] = files.find(([, path]) => path) ?? [];
  const missing = files.filter(([, path]) => !path).map(([name]) => name);
  if (!first || missing.length === 0) return;
  refuse(
    first,
    `is set without ${missing.join(' and ')}. Accepted: all three files, or none of them for connections without TLS`,
  );
}

/**
 * A URL without TLS would send the secret and the keys in the open, where the operator has asked for TLS. Each variable has a rule, so that a fault
 * of one does not hide a fault of another.
 */
const urlRules = Object.keys(serviceUrlVariables).map(
  (name) =>
    (values: ServiceValues, { refuse }: Report): void => {
      const urls = values[valueName(name) as keyof Values<typeof serviceUrlVariables>];
      const plain = urls?.find((each) => !/^https:/i.test(each));
      if (values.internalTlsCertFile && plain)
        refuse(
          name,
          `is ${plain}, which is without TLS, but INTERNAL_TLS_CERT_FILE is set. Accepted: URLs that start with \`https://\``,
        );
    },
);

/** The rules for TLS between the processes of the distributed profile. */
export const internalTlsRules = [checkTlsFiles, ...urlRules];

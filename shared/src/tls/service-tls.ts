import type { TlsFiles } from './tls-files.ts';
import type { TlsSubject } from './tls-refused.ts';

/** TLS of connections to another service. */
export interface ServiceTls {
  /** The files of `INTERNAL_TLS_…`; null if they are not set: the service is verified by the CAs that the machine knows. */
  files: TlsFiles | null;
  /** For the message about a connection that failed. */
  subject: TlsSubject;
}

/** The variables for TLS between the processes of the distributed profile. */
export const internalTlsVariableNames = {
  ca: 'INTERNAL_TLS_CA_FILE',
  cert: 'INTERNAL_TLS_CERT_FILE',
  key: 'INTERNAL_TLS_KEY_FILE',
} as const;

/**
 * @param name of the service, such as `key-derivation`
 * @param files null if `INTERNAL_TLS_…` is not set
 */
export function describeServiceTls(name: string, files: TlsFiles | null): ServiceTls {
  const urlVariable = `${name.toUpperCase().replaceAll('-', '_')}_SERVICE_URL`;
  const subject = { name, urlVariable, variables: internalTlsVariableNames, settings: files?.settings ?? {} };
  return { files, subject };
}

import type { TlsFiles } from './tls-files.ts';
import type { TlsSubject } from './tls-refused.ts';

export type ServiceTls = ReturnType<typeof describeServiceTls>;

/** The variables for TLS between the processes of the distributed profile. */
export const internalTlsVariableNames = {
  ca: 'INTERNAL_TLS_CA_FILE',
  cert: 'INTERNAL_TLS_CERT_FILE',
  key: 'INTERNAL_TLS_KEY_FILE',
} as const;

/**
 * TLS of connections to another service.
 *
 * @param name of the service, such as `key-derivation`
 * @param files of `INTERNAL_TLS_…`; null if they are not set: the service is verified by the CAs that the machine knows
 * @returns with the subject for the message about a connection that failed
 */
export function describeServiceTls(name: string, files: TlsFiles | null) {
  const urlVariable = `${name.toUpperCase().replaceAll('-', '_')}_SERVICE_URL`;
  const subject: TlsSubject = {
    name,
    urlVariable,
    variables: internalTlsVariableNames,
    settings: files?.settings ?? {},
  };
  return { files, subject };
}

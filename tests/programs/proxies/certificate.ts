import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from './programs.ts';

/** The host that the documented configurations serve. */
export const hostName = 'latchkey.example.com';

/** Files in PEM: the certificate, its key, and both in one, as HAProxy has them. */
export interface Certificate {
  certificateFile: string;
  keyFile: string;
  bundleFile: string;
  /** The certificate's text, for clients to trust. */
  pem: string;
}

/** Makes a self-signed certificate for `hostName` in the given folder. */
export function makeCertificate(folder: string): Certificate {
  const [certificateFile, keyFile, bundleFile] = ['crt', 'key', 'pem'].map((end) =>
    join(folder, `tls.${end}`),
  ) as [string, string, string];
  const subject = ['-subj', `/CN=${hostName}`, '-addext', `subjectAltName=DNS:${hostName}`];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile];
  execFileSync(
    findProgram('openssl'),
    ['req', '-x509', ...key, '-days', '2', ...subject, '-out', certificateFile],
    {
      stdio: 'ignore',
    },
  );
  const pem = readFileSync(certificateFile, 'utf8');
  writeFileSync(bundleFile, pem + readFileSync(keyFile, 'utf8'), { mode: 0o600 });
  return { certificateFile, keyFile, bundleFile, pem };
}

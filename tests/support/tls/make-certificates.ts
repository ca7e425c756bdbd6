import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Files in PEM form. */
export interface CertificateFiles {
  cert: string;
  key: string;
}

interface IssueOptions {
  /** The names and addresses that it is for, in the form of OpenSSL. Default: the names and addresses of loopback. */
  names?: string;
  /** Whether it has expired already. */
  expired?: boolean;
  /** How long it lasts from now on; 20 by default. */
  days?: number;
  /** Its common name, by which Postgres knows the role of a client. */
  commonName?: string;
}

/** A CA of its own, for one test. */
export interface CertificateAuthority {
  /** Its own certificate. */
  ca: string;
  folder: string;
  /** Issues a certificate for a server or a client. */
  issue(name: string, options?: IssueOptions): CertificateFiles;
  remove(): void;
}

const loopbackNames = 'DNS:localhost,IP:127.0.0.1';
const settings = `[ca]
default_ca = own
[own]
database = index.txt
new_certs_dir = .
serial = serial
default_md = sha256
policy = policy
unique_subject = no
[policy]
commonName = supplied
`;
const subject = (name: string) => ['-subj', `/CN=${name}`];
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/**
 * Makes a CA with the program `openssl`. Its files may be read by every user: servers run as another one. Keys are the exception: Postgres
 * refuses one that others may read.
 *
 * @param keyOwner the user of the servers, if it is another one
 */
export function makeCertificateAuthority(name = 'test CA', keyOwner?: number): CertificateAuthority {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-ca-'));
  chmodSync(folder, 0o755);
  const run = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const at = (file: string) => join(folder, file);
  writeFileSync(at('ca.cnf'), settings);
  writeFileSync(at('index.txt'), '');
  writeFileSync(at('serial'), '1000\n');
  run('req', '-x509', ...newKey, ...subject(name), '-days', '30', '-keyout', 'ca.key', '-out', 'ca.pem');
  return {
    ca: at('ca.pem'),
    folder,
    issue(file, { names = loopbackNames, expired = false, days = 20, commonName = file } = {}) {
      run('req', ...newKey, ...subject(commonName), '-keyout', `${file}.key`, '-out', `${file}.csr`);
      writeFileSync(at(`${file}.ext`), `subjectAltName=${names}\nextendedKeyUsage=serverAuth,clientAuth\n`);
      const dates = expired
        ? ['-startdate', '20200101000000Z', '-enddate', '20200201000000Z']
        : ['-days', String(days)];
      run(
        ...['ca', '-batch', '-notext', '-config', 'ca.cnf', '-cert', 'ca.pem', '-keyfile', 'ca.key'],
        ...['-extfile', `${file}.ext`, '-in', `${file}.csr`, '-out', `${file}.pem`, ...dates],
      );
      if (keyOwner !== undefined) execFileSync('chown', [String(keyOwner), at(`${file}.key`)]);
      return { cert: at(`${file}.pem`), key: at(`${file}.key`) };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

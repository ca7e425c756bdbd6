import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A file in PEM form, and the variable that names it. */
export interface TlsFile {
  variable: string;
  path: string;
}

/** The files of one kind of connection. A certificate comes with its key. */
export interface TlsFileSettings {
  /** The CAs that are trusted, in place of the machine's CAs. */
  ca?: TlsFile | undefined;
  /** The certificate that this process shows, with the intermediate ones after it. */
  cert?: TlsFile | undefined;
  key?: TlsFile | undefined;
}

/** In PEM form, as Node's `tls` takes it. */
export interface TlsMaterial {
  ca?: string;
  cert?: string;
  key?: string;
}

/** When the certificate in a file expires. */
export interface CertificateExpiry {
  file: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** A file that a variable names cannot be used for TLS. */
class TlsFileRefused extends Error {
  readonly forOperator = true;

  /** @param what completes a sentence that begins with the variable */
  constructor(variable: string, what: string) {
    super(`${variable} ${what}. Accepted: a file in PEM form (docs/operate/tls.md).`);
  }
}

/** @throws TlsFileRefused for a file that is missing, is not PEM, has expired, or does not belong to the others */
export function readTlsFiles(
  { ca, cert, key }: TlsFileSettings,
  now: number,
): { material: TlsMaterial; expiries: CertificateExpiry[] } {
  if ((cert === undefined) !== (key === undefined)) {
    const [given, missing] = cert ? [cert, 'key'] : [key, 'certificate'];
    throw new TlsFileRefused(
      given?.variable ?? '',
      `is set without the variable of its ${missing}: set both or none`,
    );
  }
  const material: TlsMaterial = {};
  const expiries: CertificateExpiry[] = [];
  if (ca) {
    material.ca = readText(ca);
    const certificates = readCertificates(ca, material.ca);
    const fault = certificates.map((each) => whyNotValid(each, now));
    if (fault.every((each) => each !== null)) throw refusal(ca, `holds no CA that is valid: ${fault[0]}`);
    // A file may contain an old CA and its successor. The file can be used until the last of them has expired.
    expiries.push({ file: ca.path, expiresAt: Math.max(...certificates.map(({ expiresAt }) => expiresAt)) });
  }
  if (cert && key) {
    material.cert = readText(cert);
    material.key = readText(key);
    const certificates = readCertificates(cert, material.cert);
    for (const each of certificates) {
      const fault = whyNotValid(each, now);
      if (fault) throw refusal(cert, `holds a certificate that cannot be used: ${fault}`);
    }
    checkKey({ cert, key }, certificates[0] as Certificate, material.key);
    expiries.push({
      file: cert.path,
      expiresAt: Math.min(...certificates.map(({ expiresAt }) => expiresAt)),
    });
  }
  return { material, expiries };
}

/** A certificate with the times between which it is valid, in milliseconds since 1970. */
interface Certificate {
  pem: string;
  startsAt: number;
  expiresAt: number;
}

const pemForm = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a file, in their order. @throws Error for one that cannot be read */
function splitCertificates(text: string): Certificate[] {
  return (text.match(pemForm) ?? []).map((pem) => {
    const { validFromDate, validToDate } = new X509Certificate(pem);
    return { pem, startsAt: validFromDate.getTime(), expiresAt: validToDate.getTime() };
  });
}

/** @returns why a certificate is not valid now; null if it is */
function whyNotValid({ startsAt, expiresAt }: Certificate, now: number): string | null {
  if (expiresAt <= now) return `it expired on ${new Date(expiresAt).toISOString()}`;
  if (startsAt > now)
    return `it is valid only from ${new Date(startsAt).toISOString()} on, or the clock of this machine is wrong`;
  return null;
}

const unreadable: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be read by this process',
  EISDIR: 'is a folder',
};

function readText(file: TlsFile): string {
  try {
    return readFileSync(file.path, 'utf8');
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code);
    throw refusal(file, unreadable[code] ?? `cannot be read (${code})`);
  }
}

function readCertificates(file: TlsFile, text: string): Certificate[] {
  try {
    const found = splitCertificates(text);
    if (found.length > 0) return found;
  } catch {
    throw refusal(file, 'holds a certificate that cannot be read');
  }
  throw refusal(file, 'holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)');
}

function checkKey(
  { cert, key }: { cert: TlsFile; key: TlsFile },
  certificate: Certificate,
  text: string,
): void {
  let isOfCertificate: boolean;
  try {
    isOfCertificate = new X509Certificate(certificate.pem).checkPrivateKey(createPrivateKey(text));
  } catch {
    throw refusal(
      key,
      'holds no private key in PEM form that can be read; one with a passphrase cannot be used',
    );
  }
  if (!isOfCertificate)
    throw refusal(key, `is not the key of the certificate that ${cert.variable} names (${cert.path})`);
}

const refusal = ({ variable, path }: TlsFile, why: string) =>
  new TlsFileRefused(variable, `names ${path}, which ${why}`);

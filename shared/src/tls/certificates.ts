import { X509Certificate } from 'node:crypto';

/** A certificate with the times between which it is valid, in milliseconds since 1970. */
export interface Certificate {
  pem: string;
  startsAt: number;
  expiresAt: number;
}

const pemForm = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a file, in their order. @throws Error for one that cannot be read */
export function splitCertificates(text: string): Certificate[] {
  return (text.match(pemForm) ?? []).map((pem) => {
    const { validFromDate, validToDate } = new X509Certificate(pem);
    return { pem, startsAt: validFromDate.getTime(), expiresAt: validToDate.getTime() };
  });
}

/** @returns why a certificate is not valid now; null if it is */
export function whyNotValid({ startsAt, expiresAt }: Certificate, now: number): string | null {
  if (expiresAt <= now) return `it expired on ${new Date(expiresAt).toISOString()}`;
  if (startsAt > now)
    return `it is valid only from ${new Date(startsAt).toISOString()} on, or the clock of this machine is wrong`;
  return null;
}

/** A file that a variable names cannot be used for TLS. */
export class TlsFileRefused extends Error {
  readonly forOperator = true;

  /** @param what completes a sentence that begins with the variable */
  constructor(variable: string, what: string) {
    super(`${variable} ${what}. Accepted: a file in PEM form (docs/operate/tls.md).`);
  }
}

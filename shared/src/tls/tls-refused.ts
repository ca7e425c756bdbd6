import type { TlsFileSettings } from './read-tls-files.ts';

/** The variables with which an operator can change a connection with TLS. */
export interface TlsSubject {
  /** Such as `Postgres`. */
  name: string;
  /** The variable with its address. */
  urlVariable: string;
  /** The variables for its files, such as `DATABASE_CA_FILE`. */
  variables: { ca: string; cert: string; key: string };
  /** The files that are set. */
  settings: TlsFileSettings;
}

/** A connection failed because of a certificate, or because one side wants TLS and the other does not. */
export class TlsRefused extends Error {
  readonly forOperator = true;
  /** For anyone who may read `/ready`: the dependency, the variable and the fault, without addresses and paths. */
  readonly publicReason: string;

  constructor(message: string, publicReason: string, cause: unknown) {
    super(message, { cause });
    this.publicReason = publicReason;
  }
}

/** OpenSSL's names for a chain that does not end at a trusted CA (X509_V_ERR_…, as Node reports them). */
const untrusted = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'INVALID_CA',
]);
/** The other side answered the first bytes of TLS with something else, or ended the connection. */
const notTls =
  /^(ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNEXPECTED_MESSAGE|BAD_RECORD_TYPE|HTTP_REQUEST))$/;
/** The other side refused the handshake: most often it wants a client certificate. */
const alert = '_ALERT_';
/** pg, where the server answers that it has no TLS. It has no code. */
const noTlsInPostgres = /does not support SSL connections/;
const deepestCause = 5;

type Fault = Error & {
  /** A number in errors of JetStream. */
  code?: unknown;
  host?: string;
  cert?: { subjectaltname?: string };
};

/** @param inFull for the operator alone: with addresses and paths. Optional. Default: `what` */
type Refuse = (what: string, mend: string, inFull?: string) => TlsRefused;

/**
 * Says in plain words what is wrong with a connection's TLS.
 *
 * @param error of Node's `tls` or of a client, perhaps with the first one as its cause
 * @returns null for any other error
 */
export function explainTlsFault(error: unknown, subject: TlsSubject): TlsRefused | null {
  const refuse: Refuse = (what, mend, inFull = what) => new TlsRefused(`${inFull}. ${mend}`, what, error);
  let fault = error;
  for (let depth = 0; depth < deepestCause && fault instanceof Error; depth++) {
    const refused = fault instanceof TlsRefused ? fault : explainItself(fault, subject, refuse);
    if (refused) return refused;
    fault = fault.cause;
  }
  return null;
}

function explainItself(
  fault: Fault,
  { name, urlVariable, variables, settings }: TlsSubject,
  refuse: Refuse,
): TlsRefused | null {
  const { message } = fault;
  const code = typeof fault.code === 'string' ? fault.code : '';
  if (code === 'CERT_HAS_EXPIRED')
    return refuse(
      `the certificate of ${name}, or of the CA that signed it, has expired`,
      `Renew it there; ${urlVariable} leads to that server`,
    );
  if (code === 'CERT_NOT_YET_VALID')
    return refuse(
      `the certificate of ${name} is not valid yet`,
      'Check the clocks of both machines, or issue the certificate again',
    );
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = fault.cert?.subjectaltname;
    const what = `the certificate of ${name} is not for the host name in ${urlVariable}`;
    const inFull = `${what}, ${fault.host ?? 'which it does not name'}${names ? `; it is for ${names}` : ''}`;
    return refuse(
      what,
      `Write a name of the certificate into ${urlVariable}, or issue one for this name`,
      inFull,
    );
  }
  if (untrusted.has(code)) {
    const { ca } = settings;
    if (!ca)
      return refuse(
        `the certificate of ${name} is signed by no CA that this machine knows`,
        `Set ${variables.ca} to the file of its CA in PEM form`,
      );
    const what = `the certificate of ${name} is not signed by a CA in ${ca.variable}`;
    return refuse(what, 'Name the file of the CA that signed it', `${what} (${ca.path})`);
  }
  if (notTls.test(code) || noTlsInPostgres.test(message))
    return refuse(
      `${name} speaks no TLS at the address in ${urlVariable}`,
      'Turn TLS on there, or name the address that has it',
    );
  const at = code.startsWith('ERR_SSL_') ? code.lastIndexOf(alert) : -1;
  const refused = at === -1 ? '' : code.slice(at + alert.length);
  if (refused) {
    const what = settings.cert
      ? `${name} refused the certificate in ${settings.cert.variable}`
      : `${name} wants a certificate of this process`;
    return refuse(
      `${what} (${refused.toLowerCase().replaceAll('_', ' ')})`,
      `Set ${variables.cert} and ${variables.key} to one that is signed by a CA that it trusts`,
    );
  }
  return null;
}

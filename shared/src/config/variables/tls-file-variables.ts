import { text } from '../parsers.ts';
import { type Setting, variable } from '../variable.ts';

type Kind = 'Ca' | 'Cert' | 'Key';

/** What each of the files is, for `--help`. */
export interface TlsFileTexts {
  ca: string;
  cert: string;
}

/**
 * The files for TLS to a dependency. They are read again when they have changed.
 *
 * @param key begins the names in the code, such as `redis`
 * @param prefix begins the names of the variables, such as `REDIS`
 */
export function tlsFileVariables<const P extends string>(key: P, prefix: string, about: TlsFileTexts) {
  const file = (kind: string, what: string) =>
    variable({ name: `${prefix}_${kind}_FILE`, type: text, about: what });
  return {
    [`${key}CaFile`]: file('CA', about.ca),
    [`${key}CertFile`]: file('CERT', about.cert),
    [`${key}KeyFile`]: file('KEY', `The private key of ${prefix}_CERT_FILE, as a PEM file.`),
  } as Record<`${P}${Kind}File`, Setting<string | undefined>>;
}

import type { Rule } from '../read-config.ts';
import { serviceUrlVariables } from './internal.ts';

type UrlKey = keyof typeof serviceUrlVariables;

interface TlsValues extends Partial<Record<UrlKey, readonly string[] | undefined>> {
  internalTlsCaFile?: string | undefined;
  internalTlsCertFile?: string | undefined;
  internalTlsKeyFile?: string | undefined;
}

const names = {
  internalTlsCaFile: 'INTERNAL_TLS_CA_FILE',
  internalTlsCertFile: 'INTERNAL_TLS_CERT_FILE',
  internalTlsKeyFile: 'INTERNAL_TLS_KEY_FILE',
} as const;
const keys = Object.keys(names) as (keyof typeof names)[];

/** With some of the files, a process would verify the others without proving itself, or the other way around. */
const filesRule: Rule<TlsValues> = {
  uses: keys,
  check(values) {
    const missing = keys.filter((key) => values[key] === undefined);
    const first = keys.find((key) => values[key] !== undefined);
    if (!first || missing.length === 0) return [];
    const absent = missing.map((key) => names[key]).join(' and ');
    const message = `${names[first]} is set without ${absent}. Accepted: all three files, or none of them for connections without TLS.`;
    return [{ variable: names[first], message }];
  },
};

/** A URL without TLS would send the secret and the keys in the open, where the operator has asked for TLS. */
const urlRules = (Object.keys(serviceUrlVariables) as UrlKey[]).map(
  (key): Rule<TlsValues> => ({
    uses: ['internalTlsCertFile', key],
    check(values) {
      const plain = values[key]?.find((url) => !/^https:/i.test(url));
      if (values.internalTlsCertFile === undefined || plain === undefined) return [];
      const [{ name = '' } = {}] = serviceUrlVariables[key].descriptions;
      const message = `${name} is ${plain}, which is without TLS, but INTERNAL_TLS_CERT_FILE is set. Accepted: URLs that start with \`https://\`.`;
      return [{ variable: name, message }];
    },
  }),
);

/** What must hold where the processes of the distributed profile speak TLS with each other. */
export const internalTlsRules: readonly Rule<TlsValues>[] = [filesRule, ...urlRules];

import { splitHosts } from '../net/index.ts';
import type { Parser } from './parsers.ts';
import { connectionString } from './url-parsers.ts';

const postgresSchemes = ['postgres', 'postgresql'] as const;
const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
/** A standby cannot be used, whatever the URL asks for. */
const sessionAttributes = ['read-write', 'primary', 'any'];

/** One server of Postgres or several, of which one takes the writes. */
export const postgresUrl: Parser<string> = {
  forms:
    `${connectionString(...postgresSchemes).forms}; it may name several servers, as in ` +
    '`postgres://user:password@db1:5432,db2:5432/latchkey`, and `sslmode=verify-full` with `sslrootcert=/path/of/ca.pem`',
  parse(value) {
    const urls = splitHosts(value);
    if (urls.length < 2) {
      const parsed = connectionString(...postgresSchemes).parse(value);
      if ('wrong' in parsed) return parsed;
    }
    for (const url of urls) {
      const parsed = connectionString(...postgresSchemes).parse(url.href);
      if ('wrong' in parsed) return parsed;
      const { searchParams } = url;
      const mode = searchParams.get('sslmode');
      if (mode !== null && !sslModes.includes(mode))
        return { wrong: `has an sslmode other than ${sslModes.join(', ')}` };
      const attributes = searchParams.get('target_session_attrs');
      if (attributes !== null && !sessionAttributes.includes(attributes))
        return {
          wrong: 'asks for a standby (target_session_attrs): Latchkey uses the server that takes writes',
        };
    }
    return { value };
  },
};

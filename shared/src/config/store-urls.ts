import { parseNatsUrls, parseRedisUrl, splitHosts } from '../net/index.ts';
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

/** One Redis, or Sentinels. */
export const redisUrl: Parser<string> = {
  forms:
    '`redis://user:password@host:6379/1`, where the number of the database may be left out, or ' +
    '`redis+sentinel://user:password@s1:26379,s2:26379/mymaster`; `rediss` in place of `redis` for TLS',
  parse(value) {
    const place = parseRedisUrl(value);
    return typeof place === 'string' ? { wrong: place } : { value };
  },
};

/** One server of NATS, or those of a cluster. */
export const natsUrls: Parser<string> = {
  forms:
    '`nats://user:password@host:4222`, or `tls://…` for TLS; the servers of a cluster are separated by commas, as in `nats://n1:4222,n2:4222,n3:4222`',
  parse(value) {
    const place = parseNatsUrls(value);
    return typeof place === 'string' ? { wrong: place } : { value };
  },
};

/** What `nsc` writes: a JWT and the seed of its key. */
export const natsCredentials: Parser<string> = {
  forms: 'the text of a credentials file of NATS, best by NATS_CREDENTIALS_FILE',
  parse(value) {
    const [, jwt] = value.split('-----BEGIN NATS USER JWT-----');
    const [, seed = ''] = jwt?.split('-----BEGIN USER NKEY SEED-----') ?? [];
    return /S[A-Z2-7]{57}/.test(seed) ? { value } : { wrong: 'has no user JWT with its seed' };
  },
};

/** https://docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_intro/nkey_auth */
export const natsNkey: Parser<string> = {
  forms: 'the seed of a user key: `SU` and 56 characters',
  parse: (value) =>
    /^SU[A-Z2-7]{56}$/.test(value) ? { value } : { wrong: 'is not the seed of a user key (SU…)' },
};

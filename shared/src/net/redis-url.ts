import { splitHosts } from './split-hosts.ts';

/** Where Redis is, and as whom this process uses it. */
export interface RedisPlace {
  kind: 'single' | 'sentinel';
  isTls: boolean;
  /** Of Redis, or of the sentinels. */
  hosts: { host: string; port: number }[];
  /** Empty for the default user. */
  username: string;
  password: string;
  /** The number of the database. */
  db: number;
  /** The name under which the sentinels watch the primary. */
  primary: string;
  /** As whom this process asks the sentinels. */
  sentinelUsername: string;
  sentinelPassword: string;
  /** 4 or 6 where only such addresses are to be used; else 0. */
  family: number;
}

const forms = /^redis(s?)(\+sentinel)?:\/\//i;
const clusterForm = /^rediss?\+cluster:/i;
const defaultPort = 6379;
/** https://redis.io/docs/latest/operate/oss_and_stack/management/sentinel */
const sentinelPort = 26_379;

/**
 * Reads `redis://user:password@host:6379/1` and `redis+sentinel://user:password@s1:26379,s2:26379/PRIMARY/1`; `rediss` in place of
 * `redis` is TLS.
 *
 * @returns what is wrong with another text, in the form that completes "which …"
 */
export function parseRedisUrl(text: string): RedisPlace | string {
  const [, tls = '', type = ''] = forms.exec(text) ?? [];
  if (clusterForm.test(text))
    return 'leads to a Redis Cluster, which is not supported: name one Redis, or Sentinels';
  if (!forms.test(text)) return 'does not start with redis:// or rediss://, perhaps with +sentinel';
  if (/[\s\p{Cc}]/u.test(text)) return 'is not a valid URL';
  const urls = splitHosts(text);
  const [first] = urls;
  if (!first) return 'is not a valid URL';
  if (urls.some(({ hostname }) => hostname === '')) return 'names no host';
  const kind = type === '' ? 'single' : 'sentinel';
  if (kind === 'single' && urls.length > 1)
    return 'names several hosts, which only Sentinels have (redis+sentinel://)';
  const { username, password, pathname, searchParams } = first;
  const path = pathname.split('/').slice(1).map(decodeURIComponent);
  const primary = kind === 'sentinel' ? (path.shift() ?? '') : '';
  if (kind === 'sentinel' && primary === '')
    return 'lacks the name of the primary, as in redis+sentinel://s1:26379,s2:26379/mymaster';
  const db = path[0] || (searchParams.get('db') ?? '0');
  if (!/^\d+$/.test(db) || path.length > 1) return 'names a database that is not a number';
  return {
    kind,
    isTls: tls !== '',
    hosts: urls.map(({ hostname, port }) => ({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (kind === 'sentinel' ? sentinelPort : defaultPort),
    })),
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    db: Number(db),
    primary,
    sentinelUsername: searchParams.get('sentinelUsername') ?? '',
    sentinelPassword: searchParams.get('sentinelPassword') ?? '',
    family: Number(searchParams.get('family')) || 0,
  };
}

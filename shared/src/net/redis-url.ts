import { splitHosts } from './split-hosts.ts';

const forms = /^redis(s?)(\+sentinel)?:\/\//i;
const clusterForm = /^rediss?\+cluster:/i;
const defaultPort = 6379;
/** https://redis.io/docs/latest/operate/oss_and_stack/management/sentinel */
const sentinelPort = 26_379;

/** Where Redis is, and as whom this process uses it. */
export type RedisPlace = Exclude<ReturnType<typeof parseRedisUrl>, string>;

/**
 * Reads `redis://user:password@host:6379/1` and `redis+sentinel://user:password@s1:26379,s2:26379/PRIMARY/1`; `rediss` in place of
 * `redis` is TLS.
 *
 * @returns what is wrong with another text, in the form that completes "which …"
 */
export function parseRedisUrl(text: string) {
  const [, tls = '', type = ''] = forms.exec(text) ?? [];
  if (clusterForm.test(text))
    return 'leads to a Redis Cluster, which is not supported: name one Redis, or Sentinels';
  if (!forms.test(text)) return 'does not start with redis:// or rediss://, perhaps with +sentinel';
  if (/[\s\p{Cc}]/u.test(text)) return 'is not a valid URL';
  const urls = splitHosts(text);
  const [first] = urls;
  if (!first) return 'is not a valid URL';
  if (urls.some(({ hostname }) => hostname === '')) return 'names no host';
  const kind: 'single' | 'sentinel' = type === '' ? 'single' : 'sentinel';
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
    /** `single` or `sentinel`. */
    kind,
    isTls: tls !== '',
    /** Of Redis, or of the sentinels. */
    hosts: urls.map(({ hostname, port }) => ({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (kind === 'sentinel' ? sentinelPort : defaultPort),
    })),
    /** Empty for the default user. */
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    /** The number of the database. */
    db: Number(db),
    /** The name under which the sentinels watch the primary. */
    primary,
    /** As whom this process asks the sentinels. */
    sentinelUsername: searchParams.get('sentinelUsername') ?? '',
    sentinelPassword: searchParams.get('sentinelPassword') ?? '',
    /** 4 or 6 where only such addresses are to be used; else 0. */
    family: Number(searchParams.get('family')) || 0,
  };
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../find-free-port.ts';
import type { CertificateAuthority } from '../tls/make-certificates.ts';
import { findProgram } from './own-stores.ts';
import { makeServerFolder, type ServerProgram, startServerProgram } from './server-program.ts';

/** How the servers of a variant are reached. */
export interface RedisVariant {
  /** With TLS, by certificates of this CA. */
  authority?: CertificateAuthority;
  /** Options of `issue` for the certificate of the servers. */
  certificate?: Parameters<CertificateAuthority['issue']>[1];
  /** The only user that may connect, with every right on keys of Latchkey. */
  user?: { name: string; password: string };
}

export interface RunningVariant {
  url: string;
  stop(): Promise<void>;
}

const loopback = '127.0.0.1';

interface StartOptions extends RedisVariant {
  lines?: readonly string[];
  isSentinel?: boolean;
  /** Text in its log once it can be used. */
  readyLine?: RegExp;
}

/** One server with a file of settings. */
async function startRedis(options: StartOptions): Promise<ServerProgram> {
  const { authority, certificate, user, lines = [], isSentinel = false } = options;
  const { readyLine = /Ready to accept connections/ } = options;
  const program = findProgram('redis-server');
  if (!program) throw new Error('redis-server is not installed on this machine');
  const port = await findFreePort();
  const folder = makeServerFolder();
  const file = join(folder, 'redis.conf');
  const own = authority?.issue(`redis-${port}`, certificate);
  const tls = own
    ? [
        ...['port 0', `tls-port ${port}`, 'tls-replication yes', 'tls-auth-clients no'],
        `tls-cert-file ${own.cert}`,
        `tls-key-file ${own.key}`,
        `tls-ca-cert-file ${authority?.ca}`,
      ]
    : [`port ${port}`];
  const users = user
    ? ['user default off', `user ${user.name} on >${user.password} ~latchkey:* &* +@all`]
    : [];
  const replica = user && !isSentinel ? [`masteruser ${user.name}`, `masterauth ${user.password}`] : [];
  const storage = isSentinel ? [] : ['save ""', 'appendonly no', ...users, ...replica];
  writeFileSync(file, [`bind ${loopback}`, `dir ${folder}`, ...tls, ...storage, ...lines, ''].join('\n'));
  return startServerProgram({
    ...{ program, port, folder, removesFolder: true, endSignal: 'KILL' },
    args: [file, ...(isSentinel ? ['--sentinel'] : [])],
    url: '',
    readyLine,
  });
}

const schemeOf = ({ authority }: RedisVariant) => (authority ? 'rediss' : 'redis');
const userOf = ({ user }: RedisVariant) => (user ? `${user.name}:${user.password}@` : '');

/** One Redis. @throws Error if it is not installed or does not start */
export async function startRedisVariant(variant: RedisVariant): Promise<RunningVariant> {
  const server = await startRedis(variant);
  const url = `${schemeOf(variant)}://${userOf(variant)}${loopback}:${server.port}`;
  return { url, stop: server.stop };
}

/** A primary with one replica, and a sentinel that puts the replica in its place within some seconds. */
export async function startRedisSentinel(
  variant: RedisVariant,
): Promise<RunningVariant & { stopPrimary(): Promise<void> }> {
  const primary = await startRedis({ ...variant, lines: ['repl-diskless-sync-delay 0'] });
  const replica = await startRedis({
    ...variant,
    lines: [`replicaof ${loopback} ${primary.port}`],
    readyLine: /sync: Finished with success/,
  });
  const sentinel = await startRedis({
    ...variant,
    isSentinel: true,
    // It asks the primary for its replicas every 10 s. One that it has not heard of by the time the primary is lost never takes its place.
    readyLine: /\+slave /,
    lines: [
      `sentinel monitor mymaster ${loopback} ${primary.port} 1`,
      'sentinel down-after-milliseconds mymaster 1000',
      'sentinel failover-timeout mymaster 3000',
      ...(variant.user
        ? [
            `sentinel auth-user mymaster ${variant.user.name}`,
            `sentinel auth-pass mymaster ${variant.user.password}`,
          ]
        : []),
    ],
  });
  return {
    url: `${schemeOf(variant)}+sentinel://${userOf(variant)}${loopback}:${sentinel.port}/mymaster`,
    stopPrimary: () => primary.stop(),
    async stop() {
      await Promise.all([primary, replica, sentinel].map((server) => server.stop()));
    },
  };
}

import { execFileSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '@latchkey/support/find-free-port';
import {
  findProgram,
  postgresData,
  postgresUid,
  runPostgres,
  startOwnPostgres,
} from '@latchkey/support/stores/own-stores';
import { makeServerFolder, type ServerProgram } from '@latchkey/support/stores/server-program';
import { type CertificateAuthority, makeCertificateAuthority } from '@latchkey/support/tls/make-certificates';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { isDatabaseUnavailable } from './database-fault.ts';
import { type Database, openDatabase } from './open.ts';
import { openPostgresOptions, type PostgresSettings } from './postgres-tls.ts';

const canStart = findProgram('initdb') !== undefined && findProgram('openssl') !== undefined;
const uid = canStart ? postgresUid() : undefined;

function open(url: string, settings: Omit<PostgresSettings, 'databaseUrl'> = {}): Database {
  const values = { ...settings, databaseUrl: { reveal: () => url } };
  const options = openPostgresOptions(values, { now: Date.now, onFault: () => {} });
  const db = openDatabase({ ...options, databaseUrl: url, sqlitePath: '', connectionTimeoutMs: 60_000 });
  onTestFinished(() => db.destroy());
  return db;
}

const use = (db: Database) =>
  sql<{ ssl: boolean; name: string | null }>`
    select ssl, client_dn as name from pg_stat_ssl where pid = pg_backend_pid()`.execute(db);

describe.skipIf(!canStart)('Postgres with TLS', () => {
  let authority: CertificateAuthority;
  let other: CertificateAuthority;
  let server: ServerProgram;
  let url: string;

  /** Gives the running server another certificate. */
  async function install(options: Parameters<CertificateAuthority['issue']>[1], from = authority) {
    const { cert, key } = from.issue('next', options);
    copyFileSync(cert, join(authority.folder, 'server.pem'));
    copyFileSync(key, join(authority.folder, 'server.key'));
    const db = open(`${url}?sslmode=disable`);
    await sql`select pg_reload_conf()`.execute(db);
    await expect.poll(() => use(open(`${url}?sslmode=no-verify`)).then(({ rows }) => rows.length)).toBe(1);
  }

  beforeAll(async () => {
    authority = makeCertificateAuthority('the CA', uid);
    other = makeCertificateAuthority('another CA', uid);
    const { cert, key } = authority.issue('server');
    server = await startOwnPostgres({
      ssl: 'on',
      ssl_cert_file: cert,
      ssl_key_file: key,
      ssl_ca_file: authority.ca,
    });
    url = server.url;
  });
  afterAll(async () => {
    await server.stop();
    authority.remove();
    other.remove();
  });

  test('with a CA file in a variable or in the URL the connection is encrypted, and shows the certificate of the client', async () => {
    const { cert, key } = authority.issue('client', { commonName: 'latchkey' });
    const byVariables = open(url, {
      databaseCaFile: authority.ca,
      databaseCertFile: cert,
      databaseKeyFile: key,
    });
    expect((await use(byVariables)).rows).toEqual([{ ssl: true, name: '/CN=latchkey' }]);
    const byUrl = open(`${url}?sslmode=verify-full&sslrootcert=${authority.ca}`);
    expect((await use(byUrl)).rows).toEqual([{ ssl: true, name: null }]);
    expect((await use(open(url))).rows).toEqual([{ ssl: false, name: null }]);
  });

  test('a wrong CA, an unknown CA, a wrong host name and an expired certificate are refused in words that name the variable and the fault', async () => {
    const fault = (settings: Omit<PostgresSettings, 'databaseUrl'>, at = url) =>
      use(open(at, settings)).then(
        () => expect.fail('it was accepted'),
        (error: Error) => {
          expect(isDatabaseUnavailable(error)).toBe(true);
          return error.message;
        },
      );
    expect(await fault({ databaseCaFile: other.ca })).toBe(
      `the certificate of Postgres is not signed by a CA in DATABASE_CA_FILE (${other.ca}). Name the file of the CA that signed it`,
    );
    expect(await fault({}, `${url}?sslmode=verify-full`)).toMatch(
      /^the certificate of Postgres is signed by no CA that this machine knows. Set DATABASE_CA_FILE/,
    );
    await install({ names: 'DNS:db.example' });
    expect(await fault({ databaseCaFile: authority.ca })).toMatch(
      /^the certificate of Postgres is not for the host name in DATABASE_URL, 127\.0\.0\.1; it is for DNS:db\.example\. Write/,
    );
    await install({ expired: true });
    expect(await fault({ databaseCaFile: authority.ca })).toMatch(
      /^the certificate of Postgres, or of the CA that signed it, has expired/,
    );
    await install({});
    expect((await use(open(url, { databaseCaFile: authority.ca }))).rows).toHaveLength(1);
  });

  test('sslmode=disable together with a CA file is refused at the start', () => {
    expect(() => open(`${url}?sslmode=disable`, { databaseCaFile: authority.ca })).toThrow(
      /DATABASE_CA_FILE is set, but sslmode=disable/,
    );
  });
});

/** A server that replays another one's log, until it is promoted. */
async function startStandby(): Promise<ServerProgram> {
  const folder = makeServerFolder(uid);
  const data = join(folder, postgresData);
  const user = uid === undefined ? {} : { uid, gid: uid };
  const args = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(findProgram('initdb') ?? '', args, { ...user, cwd: folder, stdio: 'ignore' });
  writeFileSync(join(data, 'standby.signal'), '');
  return runPostgres({ port: await findFreePort(), folder }, { uid, removesFolder: true });
}

describe.skipIf(!canStart)('several servers in DATABASE_URL', () => {
  test('the one that takes writes is used, and after a failover the next one, without a restart', async () => {
    const [first, second] = await Promise.all([startOwnPostgres(), startStandby()]);
    onTestFinished(async () => void (await Promise.all([first.stop(), second.stop()])));
    const closed = await findFreePort();
    const hosts = [closed, second.port, first.port].map((port) => `127.0.0.1:${port}`).join(',');
    const db = open(`postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`);
    const portOf = async () =>
      (await sql<{ port: string }>`select current_setting('port') as port`.execute(db)).rows[0]?.port;
    expect(await Promise.all([portOf(), portOf()])).toEqual([String(first.port), String(first.port)]);
    await first.stop();
    // A connection that was idle breaks first.
    const why = () => portOf().catch((error: Error) => error.message);
    await expect
      .poll(why)
      .toMatch(
        new RegExp(
          `^no server of DATABASE_URL can be used: 127.0.0.1:${closed}: .*ECONNREFUSED.*; 127.0.0.1:${second.port}: it is a standby; `,
        ),
      );
    const promoting = open(second.url);
    await expect(sql`select 1`.execute(promoting)).rejects.toThrow(/standby/);
    execFileSync(
      join(findProgram('initdb') ?? '', '..', 'pg_ctl'),
      ['promote', '-D', join(second.folder, postgresData)],
      { ...(uid === undefined ? {} : { uid, gid: uid }), cwd: second.folder, stdio: 'ignore' },
    );
    expect(await portOf()).toBe(String(second.port));
  });
});

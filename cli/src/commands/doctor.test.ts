import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOwnPostgres } from '@latchkey/shared/testing/own-postgres';
import { stopTime } from '@latchkey/shared/testing/stop-time';
import { makeIssuerKey } from '@latchkey/support/tokens';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../testing/listen.ts';
import { runCommand } from '../testing/run-command.ts';
import { createFileMaker, withFile } from '../testing/sqlite-file.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';

const masterKey = 'a'.repeat(64);
const salt = 'b'.repeat(64);
const tokenSecret = 'a token secret that is long enough, surely';

const makeFile = createFileMaker();
const configuration = { MASTER_KEY_HEX: masterKey, SALT_HEX: salt, AUTH_JWT_SECRET: tokenSecret, PORT: '0' };

/** Variables that work, with a database that is not there yet. */
function configured(more: Record<string, string> = {}) {
  const folder = temporaryFolder();
  return { folder, env: { SQLITE_PATH: join(folder, 'latchkey.db'), ...configuration, ...more } };
}
async function migrated(env: Record<string, string> = configuration) {
  return { ...env, ...(await makeFile()).env };
}
const doctor = (env: Record<string, string>) => runCommand(['doctor'], { env });

/** A port that answers every request in time. */
async function answering(body: unknown): Promise<number> {
  stopTime();
  const url = await listen((_request, response) => response.end(JSON.stringify(body)));
  return Number(new URL(url).port);
}

describe('latchkey doctor', () => {
  test('doctor finds nothing wrong in a configuration that works, and shows no secret', async () => {
    const env = await migrated();
    const { exitCode, stdout } = await doctor(env);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('answers and is up to date');
    expect(stdout).toMatch(/disk of SQLITE_PATH \(.*\): .*MiB are free/);
    for (const hidden of [masterKey, salt, tokenSecret]) expect(stdout).not.toContain(hidden);
  });

  test('doctor warns of each secret that is accepted in addition to the present one, and names its variable and its runbook', async () => {
    const old = 'an-old-token-secret-that-is-long-enough-surely';
    const { env, folder } = configured();
    writeFileSync(join(folder, 'previous'), old);
    const { stdout } = await doctor({ ...env, AUTH_JWT_SECRET_PREVIOUS_FILE: join(folder, 'previous') });
    expect(stdout).toMatch(/warning {2}AUTH_JWT_SECRET_PREVIOUS: .*a second secret is accepted/);
    expect(stdout).toContain('→ read docs/operate/rotation.md#steps');
    expect(stdout).not.toContain(old);
    expect((await doctor(env)).stdout).not.toContain('_PREVIOUS');
  });

  test('doctor accepts an empty configuration, whose secrets the first start makes, and examines the database and the port', async () => {
    const env = { SQLITE_PATH: join(temporaryFolder(), 'latchkey.db'), PORT: '0' };
    const { exitCode, stdout } = await doctor(env);
    for (const name of ['MASTER_KEY_HEX', 'SALT_HEX', 'AUTH_JWT_SECRET'])
      expect(stdout).toContain(`ok       ${name}: is not set; will be made at the first start, and kept in`);
    expect(stdout).toContain('is not there yet; the first start makes it');
    expect(stdout).toContain('PORT (0)');
    expect(exitCode).toBe(0);
  });

  test('doctor uses the secrets of the first start as the server does, also if a variable is set to nothing', async () => {
    const folder = temporaryFolder();
    const kept = `MASTER_KEY_HEX=${masterKey}\nSALT_HEX=${salt}\nAUTH_JWT_SECRET=${tokenSecret}\n`;
    writeFileSync(join(folder, 'latchkey.env'), kept, { mode: 0o600 });
    const env = { SQLITE_PATH: join(folder, 'latchkey.db'), PORT: '0', MASTER_KEY_HEX: '', SALT_HEX: '' };
    const { exitCode, stdout } = await doctor(env);
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain('is not set; will be made');
  });

  test('doctor reports missing secrets in production and for separate services, and still examines the database and the port', async () => {
    for (const more of [{ NODE_ENV: 'production' }, { INTERNAL_SECRET: 's'.repeat(32) }]) {
      const env = { SQLITE_PATH: join(temporaryFolder(), 'latchkey.db'), PORT: '0', ...more };
      const { exitCode, stdout } = await doctor(env);
      expect(exitCode).toBe(1);
      for (const name of ['MASTER_KEY_HEX', 'AUTH_JWT_SECRET']) expect(stdout).toContain(`WRONG    ${name}`);
      expect(stdout).not.toContain('will be made');
      expect(stdout).toContain('is not there yet');
      expect(stdout).toContain('PORT (0)');
    }
  });

  test.each([
    [
      'is missing although the database knows one',
      { PORT: '0' },
      ': is known to the database but not configured',
    ],
    ['the database does not know', configuration, ''],
  ])('doctor reports a master key that %s', async (_, variables, words) => {
    const env = await migrated(variables);
    expect((await doctor(env)).exitCode).toBe(0);
    withFile(env.SQLITE_PATH, (file) =>
      file.exec("INSERT INTO key_versions VALUES (1, '0123456789abcdef', 0)"),
    );
    const { exitCode, stdout } = await doctor(env);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(`WRONG    master key, version 1${words}`);
    expect(stdout).not.toContain('will be made');
  });

  test('doctor accepts the schema of a newer release, and warns of pending migrations', async () => {
    const env = await migrated();
    const change = (sql: string) => withFile(env.SQLITE_PATH, (file) => file.exec(sql));
    change("INSERT INTO kysely_migration (name, timestamp) VALUES ('9001-newer', '2099-01-01')");
    const newer = await doctor(env);
    expect([newer.exitCode, newer.stdout]).toEqual([0, expect.stringContaining('does not know 9001-newer')]);
    change('DELETE FROM kysely_migration');
    const older = await doctor(env);
    expect([older.exitCode, older.stdout]).toEqual([
      0,
      expect.stringContaining('is not up to date: 0001-baseline'),
    ]);
  });

  test('doctor lists every fault of the configuration with the accepted forms', async () => {
    const { env } = configured({ TRUST_PROXY: 'yes', LEASE_MODE: 'sometimes', MASTER_KEY_HEX: 'abc' });
    const { exitCode, stdout, stderr } = await doctor(env);
    expect(exitCode).toBe(1);
    for (const name of ['TRUST_PROXY', 'LEASE_MODE', 'MASTER_KEY_HEX'])
      expect(stdout).toContain(`WRONG    ${name}`);
    expect(stdout).toContain('loopback');
    expect(stderr).toContain('would not start');
  });

  test('doctor finds a typing error in the name of a variable', async () => {
    const { env } = configured({
      CORS_ORIGIN: 'https://a.example',
      ADMIN_API_KEYS: 'x',
      HOSTNAME: 'h',
    });
    const { stdout } = await doctor(env);
    expect(stdout).toContain('did you mean CORS_ORIGINS?');
    expect(stdout).toContain('did you mean ADMIN_API_KEY?');
    expect(stdout).not.toContain('HOSTNAME');
  });

  test('doctor examines the variables of separate services if one is set, and knows their names', async () => {
    const wrong = {
      REDIS_URL: 'nonsense',
      NATS_URL: 'no-address',
      INTERNAL_SECRET: 'white space-',
      INTERNAL_SECRETT: 'x',
    };
    const { env } = configured(wrong);
    const { exitCode, stdout } = await doctor(env);
    expect(exitCode).toBe(1);
    for (const name of ['REDIS_URL', 'NATS_URL', 'INTERNAL_SECRET'])
      expect(stdout).toMatch(new RegExp(`WRONG    ${name}: .*Accepted: `));
    expect(stdout).toContain('INTERNAL_SECRETT: is read by nobody');
    expect(stdout).not.toContain('every variable can be used');
    for (const hidden of ['nonsense', 'no-address', 'white space-']) expect(stdout).not.toContain(hidden);
  });

  test('doctor reports the URL of a separate service without INTERNAL_SECRET', async () => {
    const { env } = configured({ LEASES_SERVICE_URL: 'leases:4102' });
    const { stdout } = await doctor(env);
    expect(stdout).toContain('WRONG    LEASES_SERVICE_URL');
    expect(stdout).toContain('WRONG    INTERNAL_SECRET: INTERNAL_SECRET is not set');
    const mended = { ...env, LEASES_SERVICE_URL: 'http://leases:4102', INTERNAL_SECRET: 's'.repeat(32) };
    const after = await doctor(mended);
    expect([after.exitCode, after.stdout]).toEqual([
      0,
      expect.stringContaining('also for separate services'),
    ]);
  });

  test('doctor reports a file that is not a database', async () => {
    const { env } = configured();
    writeFileSync(env.SQLITE_PATH, 'this is no database, and long enough to be sure of it '.repeat(50));
    const { exitCode, stdout } = await doctor(env);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('cannot be opened');
  });

  test('doctor names a Postgres that cannot be opened by host, port and database, without user and password', async () => {
    // Port 9 (discard) of this machine has no listener.
    const { env } = configured({ DATABASE_URL: 'postgres://sam:geheim@127.0.0.1:9/latchkey' });
    const { stdout } = await doctor(env);
    expect(stdout).toContain('WRONG    DATABASE_URL (Postgres at 127.0.0.1:9/latchkey): cannot be opened');
    expect(stdout).not.toMatch(/sam|geheim/);
  });

  test.skipIf(!process.env.TEST_POSTGRES_URL)(
    'doctor shows the settings of Postgres that the server overrides, with what it found and what is used',
    async () => {
      const { databaseUrl, set, close } = await createOwnPostgres(process.env.TEST_POSTGRES_URL ?? '');
      onTestFinished(close);
      await set("default_transaction_isolation = 'repeatable read'");
      const { env } = configured({ DATABASE_URL: databaseUrl });
      const { stdout } = await doctor(env);
      expect(stdout).toContain(
        'sets default_transaction_isolation to repeatable read; Latchkey uses read committed in its own sessions',
      );
    },
  );

  test('doctor warns of a secrets file that others can read', async () => {
    const { env, folder } = configured();
    const file = join(folder, 'latchkey.env');
    writeFileSync(file, 'AUTH_JWT_AUDIENCE=player\n');
    chmodSync(file, 0o644);
    const { stdout } = await doctor(env);
    expect(stdout).toContain(`chmod 600 ${file}`);
  });

  test('doctor reports a key set without keys and one that does not answer, and names keys that cannot be used', async () => {
    const examine = async (keys: object[]) => {
      const { env } = configured({ AUTH_JWKS_URL: `http://127.0.0.1:${await answering({ keys })}/jwks` });
      return (await doctor(env)).stdout;
    };
    expect(await examine([])).toContain('WRONG    AUTH_JWKS_URL: answers, but without keys');
    const bare = { kty: 'RSA', kid: 'bare', x5c: ['MIIB'] };
    const bareIs = 'not usable: "bare": it is a certificate (x5c) alone, without n and e';
    expect(await examine([bare])).toContain(
      `WRONG    AUTH_JWKS_URL: answers with no key that can be used; ${bareIs}`,
    );
    const { jwk } = await makeIssuerKey('EdDSA', 'good');
    expect(await examine([bare, jwk])).toContain(
      `warning  AUTH_JWKS_URL: answers with good (EdDSA); ${bareIs}`,
    );
    expect(await examine([{ ...jwk, use: 'enc' }, jwk])).toContain(
      'ok       AUTH_JWKS_URL: answers with good (EdDSA)\n',
    );
    const gone = configured({ AUTH_JWKS_URL: 'http://127.0.0.1:1/jwks' });
    expect((await doctor(gone.env)).stdout).toContain('cannot be fetched');
  });

  test('doctor fetches the key set of each issuer of AUTH_ISSUERS, and names the entry', async () => {
    const { jwk } = await makeIssuerKey('EdDSA', 'good');
    const good = `http://127.0.0.1:${await answering({ keys: [jwk] })}/jwks`;
    const entries = [
      { name: 'acme', issuer: 'a', jwksUrl: good, viewerPrefix: 'a:' },
      { name: 'globex', issuer: 'g', jwksUrl: 'http://127.0.0.1:1/jwks', viewerPrefix: 'g:' },
    ];
    const { env } = configured({ AUTH_ISSUERS: JSON.stringify(entries), AUTH_JWT_SECRET: '' });
    const { stdout } = await doctor(env);
    expect(stdout).toContain('ok       AUTH_ISSUERS (acme): jwksUrl: answers with good (EdDSA)');
    expect(stdout).toContain('WRONG    AUTH_ISSUERS (globex): jwksUrl: cannot be fetched');
  });

  test('doctor says whether a port is free, or taken by Latchkey, or by another program', async () => {
    const ours = await answering({ status: 'ok', version: '0.1.0' });
    const { env } = configured({ PORT: String(ours) });
    expect((await doctor(env)).stdout).toContain('Latchkey 0.1.0 answers there');
    const other = await answering({ hello: 'there' });
    const taken = configured({ PORT: String(other) });
    expect((await doctor(taken.env)).stdout).toContain('is taken by something else');
  });
});

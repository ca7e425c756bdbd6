import { copyFileSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '@latchkey/support/stores/own-stores';
import { type CertificateAuthority, makeCertificateAuthority } from '@latchkey/support/tls/make-certificates';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTlsFiles } from './tls-files.ts';

describe.skipIf(findProgram('openssl') === undefined)('files for TLS', () => {
  let authority: CertificateAuthority;
  let folder: string;
  const at = (name: string) => join(folder, name);
  const faults: unknown[] = [];
  const options = { now: Date.now, onFault: (error: unknown) => void faults.push(error) };

  beforeAll(() => {
    authority = makeCertificateAuthority();
    folder = mkdtempSync(join(tmpdir(), 'latchkey-tls-'));
  });
  afterAll(() => {
    authority.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const ca = (path: string) => ({ ca: { variable: 'DATABASE_CA_FILE', path } });
  const own = (cert: string, key: string) => ({
    cert: { variable: 'DATABASE_CERT_FILE', path: cert },
    key: { variable: 'DATABASE_KEY_FILE', path: key },
  });

  test('a file that is missing, empty, of another kind, expired or of another certificate is refused in words that name its variable', () => {
    const good = authority.issue('good');
    const expired = authority.issue('expired', { expired: true });
    const other = authority.issue('other');
    writeFileSync(at('text'), 'no certificate');
    writeFileSync(at('broken'), '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    const cases: [Parameters<typeof openTlsFiles>[0], RegExp][] = [
      [ca(at('absent')), /^DATABASE_CA_FILE names .*absent, which does not exist/],
      [ca(folder), /^DATABASE_CA_FILE names .*, which is a folder/],
      [ca(at('text')), /which holds no certificate in PEM form/],
      [ca(at('broken')), /which holds a certificate that cannot be read/],
      [ca(expired.cert), /which holds no CA that is valid: it expired on 2020-02-01/],
      [own(expired.cert, expired.key), /^DATABASE_CERT_FILE names .*it expired on 2020-02-01T00:00:00\.000Z/],
      [
        own(good.cert, other.key),
        /^DATABASE_KEY_FILE names .*not the key of the certificate that DATABASE_CERT_FILE/,
      ],
      [own(good.cert, at('text')), /^DATABASE_KEY_FILE names .*no private key/],
      [{ cert: own(good.cert, '').cert }, /^DATABASE_CERT_FILE is set without the variable of its key/],
    ];
    for (const [settings, message] of cases) expect(() => openTlsFiles(settings, options)).toThrow(message);
  });

  test('changed files are used once they were looked at, and a certificate whose key is not there yet leaves the earlier ones in use, with one report', () => {
    const [first, second] = [authority.issue('first'), authority.issue('second')];
    let seconds = 1_000;
    const put = (from: string, to: string) => {
      copyFileSync(from, at(to));
      seconds += 10;
      utimesSync(at(to), 0, seconds);
    };
    put(first.cert, 'cert');
    put(first.key, 'key');
    const files = openTlsFiles(own(at('cert'), at('key')), options);
    const changes: unknown[] = [];
    files.onChange((material) => void changes.push(material));
    const before = files.current();
    files.renew();
    expect(files.current()).toBe(before);
    put(second.cert, 'cert');
    for (let look = 0; look < 3; look++) files.renew();
    expect(files.current()).toBe(before);
    expect(faults).toHaveLength(1);
    put(second.key, 'key');
    files.renew();
    const after = files.current();
    expect(after.cert).not.toBe(before.cert);
    expect(changes).toEqual([after]);
  });

  test('files that cannot be reached any more leave the earlier ones in use', () => {
    const good = authority.issue('reached');
    for (const name of ['gone', 'loop']) copyFileSync(good.cert, at(`${name}.cert`));
    copyFileSync(good.key, at('reached.key'));
    for (const [name, lose] of [
      ['gone', () => {}],
      ['loop', (path: string) => symlinkSync(path, path)],
    ] as const) {
      const files = openTlsFiles(own(at(`${name}.cert`), at('reached.key')), options);
      const before = files.current();
      rmSync(at(`${name}.cert`));
      lose(at(`${name}.cert`));
      files.renew();
      expect(files.current()).toBe(before);
    }
  });

  test('a chain expires with its first certificate to expire, and several CAs expire with the last one', () => {
    const later = authority.issue('later');
    const files = openTlsFiles({ ...ca(authority.ca), ...own(later.cert, later.key) }, options);
    const days = files
      .expiries()
      .map(({ file, expiresAt }) => [file, Math.round((expiresAt - Date.now()) / 86_400_000)]);
    expect(days).toEqual([
      [authority.ca, 30],
      [later.cert, 20],
    ]);
  });
});

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { createProcessBase } from '@latchkey/shared/process';
import { createManualClock, databaseKinds } from '@latchkey/shared/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  keepSecrets,
  type NodeConfiguration,
  readNodeConfiguration,
  settleMasterKeys,
} from './single-node-first-run.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-first-run-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Random bytes of a run: the same value again and again, and another one in each run. */
const bytesOf = (run: number) => (size: number) => Buffer.alloc(size, run);
const environmentIn = (folder: string) => ({ SQLITE_PATH: join(folder, 'latchkey.db') });
const keyOf = ({ values }: Pick<NodeConfiguration, 'values'>) =>
  values.masterKeys.reveal()[0]?.masterKey.toString('hex');
const readKept = (folder: string) =>
  parseEnv(readFileSync(join(folder, 'latchkey.env'), 'utf8')) as Record<string, string>;
const log = { info: () => {}, warn: () => {}, error: () => {} };

describe.each(databaseKinds(process.env))('on $name', ({ open }) => {
  it.each([
    ['in the same folder', true],
    ['on machines that share the database and not the folder', false],
  ])(
    'of two first runs %s that both found nothing, the second never keeps a key that the database does not know',
    async (_where, sameFolder) => {
      const database = await open();
      onTestFinished(() => database.close());
      const folders = [temporaryFolder(), temporaryFolder()] as const;
      const places = sameFolder ? [folders[0], folders[0]] : folders;
      const runs = places.map((folder, run) => {
        const reread = () => readNodeConfiguration(environmentIn(folder), bytesOf(run + 1));
        // Both have read before either has kept anything.
        const clock = createManualClock();
        const base = createProcessBase({ clock, log, shutdown: { add: () => {}, run: async () => {} } });
        return { configuration: reread(), reread, randomId: () => `${run}`, clock, log, base };
      });
      const outcomes = await Promise.allSettled(runs.map((run) => settleMasterKeys(run, database.db)));
      // Either may be first: on Postgres each has a connection of its own.
      const first = outcomes.findIndex(({ status }) => status === 'fulfilled');
      const kept = readKept(places[first] as string).MASTER_KEY_HEX;
      for (const [run, outcome] of outcomes.entries()) {
        if (outcome.status === 'fulfilled') {
          expect(keyOf(outcome.value)).toBe(kept);
          // A run makes all of its secrets of the same byte.
          expect(outcome.value.values.authJwtSecret?.reveal()).toEqual(Buffer.from(kept ?? '', 'hex'));
        } else {
          expect(sameFolder).toBe(false);
          expect(outcome.reason).toMatchObject({ message: expect.stringMatching(/version 1/) });
          expect(readdirSync(places[run] as string)).toEqual([]);
        }
      }
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(sameFolder ? 2 : 1);
      expect(readdirSync(places[first] as string)).toEqual(['latchkey.env']);
    },
  );
});

describe('the file of the secrets', () => {
  it('adding to the file of secrets keeps what a person wrote into it, also a last line without an end', () => {
    const path = join(temporaryFolder(), 'latchkey.env');
    const text = '# mine\nLOG_LEVEL=debug';
    writeFileSync(path, text);
    expect(keepSecrets({ path, text }, { A: '1' }, 'x')).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('# mine\nLOG_LEVEL=debug\nA=1\n');
  });

  it('the file of secrets is written although a killed process left a half-written one', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'latchkey.env');
    writeFileSync(`${path}.${process.pid}.new`, 'MASTER');
    expect(keepSecrets({ path, text: null }, { A: '1' }, 'x')).toBe(true);
    expect(parseEnv(readFileSync(path, 'utf8'))).toEqual({ A: '1' });
  });
});

describe('what a first run finds', () => {
  const inFolder = (env: Record<string, string>, files: Record<string, string> = {}) => {
    const folder = temporaryFolder();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const all = Object.fromEntries(
      Object.entries({ ...environmentIn(folder), ...env }).map(([name, value]) => [
        name,
        value.replace('FOLDER', folder),
      ]),
    );
    return { folder, read: () => readNodeConfiguration(all, bytesOf(1)) };
  };
  const kept = `MASTER_KEY_HEX=${'ab'.repeat(32)}\nSALT_HEX=${'cd'.repeat(32)}\nAUTH_JWT_SECRET=${'s'.repeat(32)}\n`;

  it('a first run with NODE_ENV_FILE that says production makes no secrets', () => {
    const { read } = inFolder({ NODE_ENV_FILE: 'FOLDER/mode' }, { mode: 'production\n' });
    expect(read).toThrow(/MASTER_KEY_HEX and SALT_HEX are not set/);
  });

  it('a first run with ALLOW_ANONYMOUS_VIEWERS_FILE that says true makes no token secret', () => {
    const { read } = inFolder({ ALLOW_ANONYMOUS_VIEWERS_FILE: 'FOLDER/any' }, { any: 'true' });
    expect(Object.keys(read().made)).toEqual(['MASTER_KEY_HEX', 'SALT_HEX']);
  });

  it('an empty variable counts as not set, on the first run and on later ones', () => {
    const empty = { MASTER_KEY_HEX: '', SALT_HEX: '', AUTH_JWT_SECRET: '' };
    expect(Object.keys(inFolder(empty).read().made)).toEqual(Object.keys(empty));
    const later = inFolder(empty, { 'latchkey.env': kept }).read();
    expect([later.made, keyOf(later)]).toEqual([{}, 'ab'.repeat(32)]);
  });

  it('a first run keeps its secrets next to the database that SQLITE_PATH_FILE names', () => {
    const { read, folder } = inFolder(
      { SQLITE_PATH: '', SQLITE_PATH_FILE: 'FOLDER/where' },
      { where: '/data/else/latchkey.db' },
    );
    expect(read().file.path).toBe('/data/else/latchkey.env');
    writeFileSync(join(folder, 'where'), join(folder, 'latchkey.db'));
    writeFileSync(join(folder, 'latchkey.env'), kept);
    expect(read().made).toEqual({});
  });

  it('with AUTH_JWKS_URL the secret that an earlier run made is not used any more, and a warning says so', () => {
    const { read } = inFolder({ AUTH_JWKS_URL: 'https://login.example/jwks' }, { 'latchkey.env': kept });
    const { values, warnings, made } = read();
    expect([values.authJwtSecret, made]).toEqual([undefined, {}]);
    expect(warnings.join()).toMatch(/AUTH_JWT_SECRET of .*latchkey\.env is not used/);
    expect(warnings.join()).not.toContain('s'.repeat(32));
  });

  it('a secret that the environment sets is used in addition to AUTH_JWKS_URL', () => {
    const env = { AUTH_JWKS_URL: 'https://login.example/jwks', AUTH_JWT_SECRET: 't'.repeat(32) };
    const { values, warnings } = inFolder(env, { 'latchkey.env': kept }).read();
    expect([values.authJwtSecret?.reveal().toString(), warnings]).toEqual(['t'.repeat(32), []]);
  });
});

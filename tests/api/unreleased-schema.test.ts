import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  complete,
  endProcess,
  makeTestFolder,
  openInTest,
  ownAdminKey,
  runToEnd,
} from '@latchkey/support/black-box/own-process';
import { actBefore } from '@latchkey/support/black-box/restore-drill';
import { askForKey } from '@latchkey/support/black-box/server-actions';
import type { Environment } from '@latchkey/support/black-box/server-process';
import type { Target } from '@latchkey/support/black-box/target';
import { runCli } from '@latchkey/support/processes/run-cli';
import { repositoryFolder } from '@latchkey/support/repository';
import { findProgram } from '@latchkey/support/stores/own-stores';
import { runSql } from '@latchkey/support/stores/run-sql';
import { expect, it, onTestFinished } from 'vitest';

const postgres = process.env.TEST_POSTGRES_URL ?? '';
const refusal =
  /The database has the schema 0018-audit-readers of a version before 0\.3\.0.*docs\/operate\/upgrade\.md#from-a-version-before-030/;
/** Gives a database the migrations of the last unreleased version. The tables of that version had the columns of the baseline. */
const age = `delete from kysely_migration where name <> '0001-baseline';
  update kysely_migration set name = '0001-initial';
  insert into kysely_migration (name, timestamp) values ('0018-audit-readers', '2026-11-01T00:00:00.000Z')`;

/** The script of `docs/operate/upgrade.md` that contains the text. */
function readScript(text: string): string {
  const document = readFileSync(join(repositoryFolder, 'docs/operate/upgrade.md'), 'utf8');
  const scripts = [...document.matchAll(/^ *```sh\n(.*?)^ *```/gms)].map(([, script = '']) => script);
  const found = scripts.find((script) => script.includes(text));
  if (!found) throw new Error(`docs/operate/upgrade.md has no script with ${text}`);
  return found;
}

/** A database of an unreleased version, and a new database. */
interface Databases {
  before: Environment;
  now: Environment;
  age(): Promise<void>;
  /** Runs the documented copy. */
  copy(): Promise<void>;
}

async function makeFiles(): Promise<Databases> {
  const folder = makeTestFolder();
  const [before, now] = [join(folder, 'latchkey.db'), join(folder, 'new.db')];
  const execute = (path: string, sql: string) => {
    const file = new DatabaseSync(path);
    file.exec(sql);
    file.close();
  };
  return {
    before: { SQLITE_PATH: before },
    now: { SQLITE_PATH: now },
    age: async () => execute(before, age),
    async copy() {
      const [, statements = ''] = /<<'END'\n(.*?)^ *END$/ms.exec(readScript('sqlite3')) ?? [];
      execute(now, statements.replace('data/latchkey.db', before));
    },
  };
}

async function makePostgres(): Promise<Databases> {
  const names = ['before', 'now'].map((part) => `latchkey_${part}_${randomBytes(6).toString('hex')}`);
  const [before = '', now = ''] = names.map(
    (name) => Object.assign(new URL(postgres), { pathname: name }).href,
  );
  for (const name of names) await runSql(postgres, `create database ${name} template template0`);
  onTestFinished(async () => {
    for (const name of names) await runSql(postgres, `drop database ${name} with (force)`);
  });
  return {
    before: { DATABASE_URL: before },
    now: { DATABASE_URL: now },
    age: async () => void (await runSql(before, age)),
    async copy() {
      const { PATH } = process.env;
      const env = { PATH: [dirname(findProgram('pg_dump') ?? ''), PATH].join(delimiter) };
      execFileSync('sh', ['-ec', readScript('pg_dump')], {
        env: { ...env, OLD_DATABASE_URL: before, DATABASE_URL: now },
      });
    },
  };
}

it.each([
  ['SQLite', makeFiles],
  ['Postgres', makePostgres],
])(
  'a database of an unreleased version on %s is refused, and what its documented copy brings over works as before',
  async (_, make) => {
    const databases = await make();
    const first = await openInTest(makeTestFolder(), databases.before);
    const { players, apiKeys, disabled } = await actBefore(first.target);
    const { alreadyRevoked, spared } = players;
    const content = `/api/v1/content/${spared.contentId}`;
    const imported = await first.target.client.call('PUT', `${content}/keys/7`, {
      as: ownAdminKey,
      body: randomBytes(16),
    });
    expect(imported.status).toBe(204);
    await first.target.client.call('DELETE', `/api/v1/content/${disabled.contentId}`, { as: ownAdminKey });
    const read = async ({ client }: Target) => [
      (await client.get(content, ownAdminKey)).json,
      (await client.get(`/keys/${spared.contentId}`, apiKeys.kept.raw)).bytes,
      (await client.get(`/keys/${spared.contentId}/7`, apiKeys.kept.raw)).bytes,
    ];
    const known = await read(first.target);
    await endProcess(first.server);
    await databases.age();

    const { code, stdout, stderr } = await runToEnd(makeTestFolder(), { ...complete, ...databases.before });
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(refusal)]);
    expect(stderr).not.toMatch(/\n\s+at /);
    await expect(runCli(['migrate'], databases.before)).rejects.toThrow(refusal);

    await runCli(['migrate'], databases.now);
    await databases.copy();
    const { target } = await openInTest(makeTestFolder(), databases.now);
    expect(await read(target)).toEqual(known);
    const asked = [spared, alreadyRevoked, disabled].map((player) => askForKey(target, player));
    expect(await Promise.all(asked)).toEqual(['200', '403 TOKEN_REVOKED', '404 CONTENT_NOT_FOUND']);
  },
);

import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '@latchkey/support/black-box/own-process';
import { repositoryFolder } from '@latchkey/support/repository';
import { expect, it } from 'vitest';

const documents = ['README.md', 'k8s/README.md']
  .concat(
    readdirSync(join(repositoryFolder, 'docs'), { recursive: true, encoding: 'utf8' }).flatMap((name) =>
      name.endsWith('.md') ? [`docs/${name}`] : [],
    ),
  )
  .map((name) => readFileSync(join(repositoryFolder, name), 'utf8'))
  .join('\n');

/** Files that commands of the documents write, read or mount: environment files, dumps, databases and secrets. */
const written = [
  ...documents.matchAll(
    /(?:keygen.* --out|[<>]|file:)\s*(?:\.\/)?([\w./-]*(?:\.env|\.dump|\.db|secrets\/\w+))(?![\w.])/g,
  ),
].map(([, path]) => path as string);
/** Files that servers and backups make under their default names. */
const made = [
  'data/latchkey.env',
  'latchkey.db',
  'latchkey.db-wal',
  'latchkey.db-shm',
  'backup.db',
  '.env.production',
];
const secret = [...new Set([...written, ...made])];

/** Whether git ignores a path by the rules of this repository alone. */
function isIgnored(folder: string, path: string): boolean {
  return spawnSync('git', ['check-ignore', '--no-index', '--quiet', path], { cwd: folder }).status === 0;
}

function repositoryWithRules(): string {
  const folder = makeTestFolder();
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  copyFileSync(join(repositoryFolder, '.gitignore'), join(folder, '.gitignore'));
  return folder;
}

it('git ignores every file with secrets or rows that commands of the documents make', () => {
  expect(secret).toEqual(
    expect.arrayContaining(['.env', 'latchkey.env', 'latchkey.dump', 'secrets/MASTER_KEY_HEX']),
  );
  const folder = repositoryWithRules();
  expect(secret.filter((path) => !isIgnored(folder, path))).toEqual([]);
});

it('git does not ignore the settings for Kubernetes, which contain no secret', () => {
  const folder = repositoryWithRules();
  const settings = [
    'k8s/base/settings/viewers.env',
    'k8s/components/presign/uploads.env',
    'k8s/overlays/distributed/service-urls.env',
  ];
  expect(settings.filter((path) => isIgnored(folder, path))).toEqual([]);
});

it('no file with secrets or rows is sent to the Docker builder', () => {
  const lines = readFileSync(join(repositoryFolder, '.dockerignore'), 'utf8').split('\n');
  expect(lines).toEqual(
    expect.arrayContaining(['*', '**/.env*', '**/*.env', '**/secrets', '**/*.dump', '**/*.db']),
  );
});

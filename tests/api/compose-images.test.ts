import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '@latchkey/support/repository';
import { expect, it } from 'vitest';

const dockerfile = readFileSync(join(repositoryFolder, 'Dockerfile'), 'utf8');
const instructions = dockerfile.match(/^[A-Z]+ .*/gm) ?? [];

it('the Dockerfile uses one official base image, whose digest a publisher can name, and no foreign syntax', () => {
  expect(instructions[0]).toBe('ARG NODE_IMAGE=node:24-bookworm-slim');
  const from = instructions.filter((line) => line.startsWith('FROM ') && !line.startsWith('FROM store'));
  for (const line of from) expect(line).toMatch(/^FROM \$\{NODE_IMAGE\}( AS [a-z]+)?$/);
  expect(dockerfile).not.toMatch(/^# *syntax/m);
});

it('an image runs its program as an ordinary user, as PID 1 without a shell, with a health check', () => {
  expect(instructions.slice(-4)).toEqual([
    'USER 1000:1000',
    'STOPSIGNAL SIGTERM',
    expect.stringMatching(/^HEALTHCHECK .* CMD \["bash", "\/app\/healthcheck.sh"\]$/),
    'ENTRYPOINT ["node", "/app/main.ts"]',
  ]);
});

it('an image says in its labels what it is, of which release, under which licence and on which base', () => {
  const labels = Object.fromEntries(
    [...dockerfile.matchAll(/org\.opencontainers\.image\.([a-z.]+)="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  );
  const { version, license, description } = JSON.parse(
    readFileSync(join(repositoryFolder, 'package.json'), 'utf8'),
  );
  expect(labels).toEqual({
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Docker
    title: 'latchkey ${PACKAGE}',
    description,
    version,
    licenses: license,
    'base.name': 'docker.io/library/node:24-bookworm-slim',
  });
});

it('an image installs the packages of the lock file, with the pnpm of this workspace', () => {
  const pnpm = /pnpm@[0-9.]+/.exec(
    readFileSync(join(repositoryFolder, 'tools/ensure-installed.mjs'), 'utf8'),
  )?.[0];
  expect(dockerfile).toContain(`npm install --global ${pnpm}\n`);
  expect(dockerfile).toContain('pnpm install --prod --frozen-lockfile');
});

it('no file that may contain a secret is sent to the Docker builder', () => {
  const [first, ...rest] =
    readFileSync(join(repositoryFolder, '.dockerignore'), 'utf8').match(/^[^#\n].*/gm) ?? [];
  expect(first).toBe('*');
  const sent = rest.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  expect(sent).toEqual([
    ...['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'tsconfig.json'],
    ...['shared', 'gateway', 'admin', 'services', 'sdk/uploader', 'cli', 'tools/image'],
  ]);
  expect(rest).toEqual(expect.arrayContaining(['**/node_modules', '**/data', '**/.env*', '**/*.env']));
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './compose-file.ts';

describe('the Dockerfile', () => {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const instructions = dockerfile.match(/^[A-Z]+ .*/gm) ?? [];

  it('stands on one official image, fetched by no other syntax than the builder’s own', () => {
    const from = instructions.filter((line) => line.startsWith('FROM ') && !line.startsWith('FROM store'));
    for (const line of from) expect(line).toMatch(/^FROM node:24-bookworm-slim( AS [a-z]+)?$/);
    expect(dockerfile).not.toMatch(/^# *syntax/m);
  });

  it('runs as an ordinary user, as PID 1 without a shell, and asks itself how it is', () => {
    expect(instructions.slice(-4)).toEqual([
      'USER 1000:1000',
      'STOPSIGNAL SIGTERM',
      expect.stringMatching(/^HEALTHCHECK .* CMD \["node", "\/app\/healthcheck.mjs"\]$/),
      'ENTRYPOINT ["node", "/app/main.ts"]',
    ]);
  });

  it('installs what the lock file names, with the pnpm of this workspace', () => {
    const pnpm = /pnpm@[0-9.]+/.exec(readFileSync(join(root, 'scripts/ensure-installed.mjs'), 'utf8'))?.[0];
    expect(dockerfile).toContain(`npm install --global ${pnpm}\n`);
    expect(dockerfile).toContain('pnpm install --prod --frozen-lockfile');
  });

  it('is sent nothing that may hold a secret', () => {
    const [first, ...rest] = readFileSync(join(root, '.dockerignore'), 'utf8').match(/^[^#\n].*/gm) ?? [];
    expect(first).toBe('*');
    const sent = rest.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    expect(sent).toEqual([
      ...['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'tsconfig.json'],
      ...['shared', 'gateway', 'admin', 'services', 'sdk/uploader', 'cli', 'scripts/image'],
    ]);
    expect(rest).toEqual(expect.arrayContaining(['**/node_modules', '**/data', '**/.env*', '**/*.env']));
  });
});

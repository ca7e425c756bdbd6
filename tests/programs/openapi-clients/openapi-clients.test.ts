import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { repositoryFolder } from '@latchkey/support/repository';
import { expect, onTestFinished, test } from 'vitest';
import { runProgram } from '../clients/run-program.ts';

const packages = join(repositoryFolder, 'tests/node_modules');
const heyApiSettings = {
  input: 'openapi.json',
  output: { path: 'client', module: { extension: '.js' } },
  plugins: ['@hey-api/client-fetch', '@hey-api/sdk', '@hey-api/typescript'],
};

/** The name of each walk, and the command that makes the folder `client` of `openapi.json`. */
const generators: Readonly<Record<string, readonly string[]>> = {
  'openapi-fetch': ['openapi-typescript', 'openapi.json', '--output', 'client/schema.ts'],
  'hey-api': ['openapi-ts', '--file', 'openapi-ts.config.json', '--no-log-file'],
  'swagger-typescript-api': [
    ...[
      'swagger-typescript-api',
      'generate',
      '--path',
      'openapi.json',
      '--output',
      'client',
      '--name',
      'api.ts',
    ],
    '--generate-union-enums',
    '--silent',
  ],
};

/** As a strict project of today. */
const compilerOptions = {
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  types: ['node'],
  typeRoots: [join(repositoryFolder, 'node_modules/@types')],
  module: 'nodenext',
  strict: true,
  skipLibCheck: true,
  outDir: 'built',
  rootDir: '.',
};

test.each(Object.entries(generators))(
  'a client that %s is used with compiles under strict, and walks through the API',
  async (name, [program = '', ...args]) => {
    const server = await startServer();
    const cwd = mkdtempSync(join(tmpdir(), 'latchkey-client-'));
    onTestFinished(() => rmSync(cwd, { recursive: true }));
    symlinkSync(packages, join(cwd, 'node_modules'));
    const { bytes } = await server.client.get('/openapi.json');
    writeFileSync(join(cwd, 'openapi.json'), bytes);
    writeFileSync(join(cwd, 'package.json'), JSON.stringify({ type: 'module' }));
    writeFileSync(join(cwd, 'openapi-ts.config.json'), JSON.stringify(heyApiSettings));
    writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['walk.ts'] }));
    copyFileSync(join(import.meta.dirname, `walks/${name}.ts`), join(cwd, 'walk.ts'));
    const run = async (file: string, ...words: string[]) => {
      const { code, output } = await runProgram(file, words, { cwd });
      expect([code, output]).toEqual([0, expect.anything()]);
      return output;
    };
    await run(join(packages, '.bin', program), ...args);
    await run(join(repositoryFolder, 'node_modules/.bin/tsc'), '--project', '.');
    const contentId = unique('film');
    const output = await run(process.execPath, 'built/walk.js', server.url, server.adminApiKey, contentId);
    const key = await server.client.get(`/keys/${contentId}`, server.adminApiKey);
    expect(JSON.parse(output)).toEqual({
      ...{ scope: 'playback', name: 'Renamed', metadata: { team: 'a' }, state: 'active', revoked: 1 },
      keyBytes: key.bytes.toString('hex'),
      names: ['Renamed', expect.any(String)],
      problems: ['404 LEASE_NOT_FOUND', 'VALIDATION_FAILED /expiresAt'],
    });
  },
  180_000,
);

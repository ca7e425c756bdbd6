import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listSourceFiles } from '@latchkey/rig/source-files';
import { expect, it } from 'vitest';
import { findNamedPorts, isBlockedPort } from './document-ports.ts';

const root = join(import.meta.dirname, '../..');
/** Documents, what starts and configures servers, and what they say: a port may be a default in any of them. */
const named = /\.(md|ts|mjs|js|html|ya?ml|env|conf|cfg)$|Caddyfile$/;

it('no port that a document or a default names is one that browsers refuse to open', () => {
  const files = listSourceFiles(root).filter(
    (file) => named.test(file) && !/\.test\.ts$|fixture|pnpm-lock/.test(file),
  );
  const blocked = files.flatMap((file) =>
    findNamedPorts(readFileSync(join(root, file), 'utf8')).flatMap((port) =>
      isBlockedPort(port) ? `${file}: ${port}` : [],
    ),
  );
  expect(blocked).toEqual([]);
});

it.each([
  ['CORS_ORIGINS=http://127.0.0.1:4190 npm start', [4190]],
  ['open http://localhost:6000/admin and http://[::1]:4100', [6000, 4100]],
  ['const portBesideServer = 4_190;', [4190]],
  ["port: '6697'\ncontainerPort: 4101\n  PORT=4045", [6697, 4101, 4045]],
  ['| `PORT`, `HOST` | `5060`, `0.0.0.0` |', [5060]],
  ['--port 8000, at 12:4190 o’clock, version 1.4190', [8000]],
  ['the report: 4190 files', []],
])('in %j the ports %j are found', (text, ports) => {
  expect(findNamedPorts(text)).toEqual(ports);
});

it('the blocked ports are those of the Fetch standard', () => {
  expect([1, 22, 4190, 5060, 5061, 6000, 6665, 6669, 6679, 6697, 10080].every(isBlockedPort)).toBe(true);
  expect([80, 443, 4100, 4170, 4180, 8080, 9464].some(isBlockedPort)).toBe(false);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listSourceFiles } from '@latchkey/rig/source-files';
import { expect, it } from 'vitest';

/** Ports that browsers refuse to open: the Fetch standard, "port blocking" (https://fetch.spec.whatwg.org/#port-blocking). */
const blockedPorts: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

const isBlockedPort = (port: number): boolean => blockedPorts.has(port);

/** Four digits and more: single digits have many other meanings, and no server here has a port below 1024. */
const forms = [
  /(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]):(\d{4,5})\b/g,
  /\bport\b(?: of the page)?[:= `'"(]+(\d{4,5})\b/gi,
  /\b(?:port|PORT|\w+(?:Port|_PORT)|port[A-Z]\w*)['"]?\s*[:=]\s*['"`]?(\d{1,2}_?\d{3})\b/g,
  /`PORT`[^|]*\|\s*`(\d{4,5})`/g,
];

/** The ports that a text names, each once, in the order of their first mention. */
function findNamedPorts(text: string): number[] {
  const found = forms.flatMap((form) =>
    [...text.matchAll(form)].map(({ 1: digits = '', index }) => ({
      port: Number(digits.replace('_', '')),
      index,
    })),
  );
  return [...new Set(found.sort((a, b) => a.index - b.index).map(({ port }) => port))];
}

const root = join(import.meta.dirname, '../..');
/** Documents, code and configuration files: a port may be named in any of them. */
const named = /\.(md|ts|mjs|js|html|ya?ml|env|conf|cfg)$|Caddyfile$/;

it('no document and no default names a port that browsers refuse to open', () => {
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
])('in the text %j the ports %j are found', (text, ports) => {
  expect(findNamedPorts(text)).toEqual(ports);
});

it('the blocked ports are those of the Fetch standard', () => {
  expect([1, 22, 4190, 5060, 5061, 6000, 6665, 6669, 6679, 6697, 10080].every(isBlockedPort)).toBe(true);
  expect([80, 443, 4100, 4170, 4180, 8080, 9464].some(isBlockedPort)).toBe(false);
});

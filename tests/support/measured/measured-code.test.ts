import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { repositoryFolder } from '../repository.ts';
import { listSourceFiles } from '../source-files.ts';
import { digestMeasuredCode, findOldFigures, measuredCode } from './measured-code.ts';

let root = '';
const file = 'gateway/src/gateway-host.ts';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'latchkey-digest-'));
  mkdirSync(join(root, 'gateway/src'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

function digestOf(text: string, further: Record<string, string> = {}): string | null {
  const files = { [file]: text, ...further };
  for (const [path, content] of Object.entries(files)) writeFileSync(join(root, path), content);
  return digestMeasuredCode('servers', root, Object.keys(files));
}

test('the digest of measured code changes with its code and not with its comments or its tests', () => {
  const digest = digestOf('/** Why. */\nexport const a = 1;\n');
  expect(digest).toMatch(/^[0-9a-f]{12}$/);
  expect(digestOf('// Another reason.\n\nexport const a = 1;\n')).toBe(digest);
  expect(digestOf('export const a = 1;\n', { 'gateway/src/gateway.test.ts': 'any' })).toBe(digest);
  expect(digestOf('export const a = 2;\n')).not.toBe(digest);
});

test('figures that are older than their code are reported with the command that measures them again', () => {
  const document = (part: string, said: string) =>
    `<!-- measured: ${part} -->\n${said}\n\n| a |\n<!-- end -->\n`;
  const said = 'Measured by `npm run bench -- --write` on one machine with 4 cores.';
  const find = (text: string) =>
    findOldFigures('README.md', text, (part) => (part === 'servers' ? 'abc' : null));
  expect(find(document('servers', `${said} <!-- code: abc -->`))).toEqual([]);
  const old = [
    'README.md: the figures of servers are older than the code that they measure. Run: npm run bench -- --write',
  ];
  expect(find(document('servers', `${said} <!-- code: abd -->`))).toEqual(old);
  expect(find(document('servers', said))).toEqual(old);
  expect(find(document('faults', said))).toEqual([]);
});

test('every folder whose code is measured exists', () => {
  const files = listSourceFiles(repositoryFolder);
  for (const place of Object.values(measuredCode).flat())
    expect(
      files.some((path) => path === place || path.startsWith(`${place}/`)),
      place,
    ).toBe(true);
});

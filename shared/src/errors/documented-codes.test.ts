import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { codes } from './errors.ts';

test('docs/errors.md has one row for each error code, with its status, a cause and what to check', () => {
  const text = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \| (.+?) \| (.+?) \|$/gm)];
  const documented = rows.map(([, code, status]) => [code, Number(status)]);
  const thrown = Object.entries(codes).map(([code, { status }]) => [code, status]);
  expect(documented).toEqual(thrown);
});

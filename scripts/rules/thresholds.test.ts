import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** What the file exports, without the comment at its head. */
function exportsOf(path: string): string {
  const text = readFileSync(join(root, path), 'utf8');
  return text.slice(text.indexOf('export'));
}

// The dashboard imports no server code, so the numbers stand in both.
test('the dashboard draws the limits at which the server finds a concern', () => {
  const own = exportsOf('admin/src/pages/overview/thresholds.ts');
  expect(own).toContain('keyAlertMs: 500');
  expect(own).toBe(exportsOf('gateway/src/statistics/concerns/thresholds.ts'));
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documentPath, renderDocument } from './render-document.ts';

test('docs/metrics.md is what npm run metrics-document makes of the metrics in the code', () => {
  const text = readFileSync(join(import.meta.dirname, '../..', documentPath), 'utf8');
  expect(text).toBe(renderDocument());
});

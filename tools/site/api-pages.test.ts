import { expect, it } from 'vitest';
import { readOpenApi } from '../open-api.ts';
import { renderApiPages } from './api-pages.ts';

const openApi = await readOpenApi();
const pages = renderApiPages(openApi);
// The index has a heading for each tag.
const headings = [...pages].flatMap(
  ([file, page]) => (file === 'index.md' ? [] : page.match(/^## .*$/gm)) ?? [],
);

it('the API reference has one section for each operation and each resource of /openapi.json', () => {
  const operations = Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `## ${method.toUpperCase()} ${path}`),
  );
  const resources = Object.keys(openApi.components.schemas).map((name) => `## ${name}`);
  expect(operations.length).toBeGreaterThan(50);
  for (const heading of [...operations, ...resources])
    expect([heading, headings.filter((each) => each === heading).length]).toEqual([heading, 1]);
});

it('an operation of the API reference shows its id, its credential, parameters, members of its body, answers and their codes', () => {
  const [, section] = pages.get('leases.md')?.split(/^## (?=POST \/keys\/leases\/renew)/m) ?? [];
  expect(section).toContain('Needs an API key with scope `admin` or `full`, or a viewer token.');
  expect(section).toContain('Its `operationId` is `renewLease`.');
  expect(section).toContain('| `leaseId` | ');
  expect(section).toMatch(/^\| 401 \| `.*`INVALID_TOKEN`/m);
  expect(section).toContain('[Lease](resources.md#lease)');
  expect(pages.get('audit.md')).toMatch(/^\| `limit` \(optional\) \| query \| integer, .*default `100` \|/m);
});

import { expect, it } from 'vitest';
import { findDeadReferences } from './document-references.ts';

const tree = [
  'README.md',
  'docs/limits.md',
  'gateway/src/main.ts',
  'services/auth/src/routes/setup.ts',
  'compose.yaml',
];

it.each([
  [
    'README.md',
    'See [limits](docs/limits.md#numbers), [the top](#top) and [a site](https://example.com/x.md).',
  ],
  ['docs/limits.md', 'Back to [the start](../README.md), or to `README.md`.'],
  [
    'README.md',
    'In `gateway/src/main.ts:12`, `routes/setup.ts`, `main.ts`, `services/auth/`, `compose.yaml`.',
  ],
  [
    'README.md',
    'Send `application/json` to `/api/v1/setup`, `content/<contentId>/`, `services/*`, `kid`, `a/b`.',
  ],
  ['README.md', '```\nnode gone.ts\n`gone.ts`\n```\n'],
])('the references in %s are accepted: %j', (document, text) => {
  expect(findDeadReferences(document, text, tree)).toEqual([]);
});

it.each([
  ['README.md', '[limits](docs/limit.md)', 'docs/limit.md'],
  ['docs/limits.md', '[start](README.md)', 'README.md'],
  ['README.md', '`gateway/src/gone.ts`', 'gateway/src/gone.ts'],
  ['README.md', '`gone.ts`', 'gone.ts'],
  ['README.md', '`services/audit/`', 'services/audit/'],
  ['docs/limits.md', '`../gone.md`', '../gone.md'],
])('the dead reference in %s is reported: %s', (document, text, name) => {
  expect(findDeadReferences(document, text, tree)).toEqual([
    `${document} names ${name}, which does not exist`,
  ]);
});

import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, it } from 'vitest';
import { anchorOf } from './heading-links.ts';

const root = join(import.meta.dirname, '../..');
const read = (page: string) => readFileSync(join(root, page), 'utf8');

/** The section about a topic: from its heading to the next one of the second level. */
function sectionOf(text: string, topic: string): string {
  const [, section = ''] = text.split(topic);
  return section.split(/^## /m)[0] ?? '';
}

/** Whether a page links to this target, seen from the root. */
function linksTo(page: string, target: string): boolean {
  const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)];
  return links.some(([, link = '']) => posix.join(posix.dirname(page), link) === target);
}

/** Each begins on the README of the root, and each step is a link on the page before it. The last page has the words, below the topic. */
const paths: [question: string, clicks: string[], topic: string, words: string][] = [
  ['how do I get a first key?', [], '## Two commands', '/keys/film'],
  ['how do I play a first film?', ['docs/start/integrate.md'], '## 2. A film', 'npx latchkey encrypt'],
  ['how do I revoke a first viewer?', ['docs/start/integrate.md'], '## 5. Revoke', '/keys/leases/revoke'],
  ['where does a route live?', ['CONTRIBUTING.md'], '## Where things live', 'services/<name>/src/routes'],
  [
    'where is the route that serves a key?',
    ['docs/README.md', 'services/key-derivation/README.md'],
    '# key-derivation',
    '`/keys/:contentId`',
  ],
  ['how do I add a field?', ['CONTRIBUTING.md'], '## Checklists', '**A field of a lease**'],
  [
    'how do I add a page of the dashboard?',
    ['CONTRIBUTING.md', 'admin/README.md#to-add-a-page'],
    '## To add a page',
    'nav-items',
  ],
  [
    'what do I do when keys fail?',
    ['docs/operate/runbooks/keys.md#from-keys-fail-to-the-cause'],
    '## From "keys fail" to the cause',
    'npx latchkey doctor --live',
  ],
];

it.each(paths)('a newcomer finds an answer in at most three clicks: %s', (_, clicks, topic, words) => {
  expect(clicks.length).toBeLessThanOrEqual(3);
  const pages = ['README.md', ...clicks];
  for (const [at, target] of clicks.entries()) {
    const [page = ''] = (pages[at] ?? '').split('#');
    expect(linksTo(page, target), `${page} links to ${target}`).toBe(true);
  }
  const [page = '', anchor] = (pages.at(-1) ?? '').split('#');
  if (anchor) expect(anchorOf(topic.replace(/^#+ /, ''))).toBe(anchor);
  expect(sectionOf(read(page), topic)).toContain(words);
});

import { expect, it } from 'vitest';
import { findUnlistedPages } from './document-index.ts';

const texts: Readonly<Record<string, string>> = {
  'README.md': '[All documents](docs/README.md)',
  'docs/README.md':
    'Back to [the start](../README.md). [Alerts](operate/alerts.md#critical), [a site](https://example.com/x.md)',
  'docs/operate/alerts.md': '[keys fail](keys.md#keys-fail)',
  'docs/operate/keys.md': '[deeper](deep.md)',
};

const find = (further: Readonly<Record<string, string>>) => {
  const all = { ...texts, ...further };
  return findUnlistedPages([...Object.keys(all), 'src/main.ts'], (file) => all[file] ?? '');
};

it('a document that the index or a page of the index links to is accepted', () => {
  expect(find({})).toEqual([]);
});

it.each(['docs/operate/deep.md', 'services/auth/README.md'])(
  'the document %s, to which no page near the index links, is reported',
  (page) => {
    expect(find({ [page]: 'text' })).toEqual([
      `no link leads to ${page} from docs/README.md or from a page that it lists`,
    ]);
  },
);

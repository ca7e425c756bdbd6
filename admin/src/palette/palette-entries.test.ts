import { expect, it } from 'vitest';
import { type Found, listEntries } from './palette-entries.ts';

const page = (path: string, label: string, shortcut: string) => ({
  path,
  label,
  shortcut,
  icon: 'list' as const,
});
const pages = [
  page('/leases', 'Leases', 'l'),
  page('/api-keys', 'API keys', 'k'),
  page('/viewers', 'Viewers', 'v'),
  page('/refusals', 'Refusals', 'r'),
  page('/audit', 'Audit', 'a'),
];
const nothing: Found = { contents: [], viewers: [] };
const pathsFor = (text: string, found = nothing) => listEntries(text, pages, found).map(({ path }) => path);

it('an empty palette lists the pages of the key with their shortcuts', () => {
  expect(listEntries(' ', pages, nothing).map(({ label, keys }) => `${label} ${keys}`)).toEqual([
    'Leases g l',
    'API keys g k',
    'Viewers g v',
    'Refusals g r',
    'Audit g a',
  ]);
});

it('pages that match come first, then what the server found, then the lists to ask', () => {
  const found = { contents: [{ id: 'lea-1', name: 'Lea' }], viewers: [{ viewerId: 'lea' }] };
  const entries = listEntries('lea', pages, found);
  expect(entries.map(({ group, label, kind }) => `${group}, ${kind}: ${label}`)).toEqual([
    'Pages, Page: Leases',
    'Found, Content lea-1: Lea',
    'Found, Viewer: lea',
    'Look up, API keys with this name: lea',
    'Look up, Leases of this viewer: lea',
    'Look up, Audit of this target: lea',
    'Look up, Audit of this actor: lea',
  ]);
});

it('a pasted UUID leads to the lease or the API key with it, and to what was done by and to it, spaces around it left out', () => {
  const id = '98ee5596-cd3e-a20d-163a-e382420c6eff';
  expect(pathsFor(` ${id}\n`)).toEqual([
    `/leases?lease=${id}`,
    `/api-keys/${id}`,
    `/audit?target=${id}`,
    `/audit?actor=${id}`,
  ]);
});

it('text of an address is escaped, and a content ID with a dot is not a path', () => {
  expect(pathsFor('a&b=c/d')).toContain('/leases?viewer=a%26b%3Dc%2Fd');
  const contents = [
    { id: 'film.mp4', name: 'x' },
    { id: 'a', name: 'y' },
  ];
  expect(pathsFor('q', { contents, viewers: [] })).toEqual(
    expect.arrayContaining(['/content?q=film.mp4', '/content/a']),
  );
});

it('pages that the key cannot see are not offered, nor lists on them', () => {
  expect(listEntries('x', [page('/content', 'Content', 'c')], nothing)).toEqual([]);
});

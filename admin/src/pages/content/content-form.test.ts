import { expect, it } from 'vitest';
import type { Content } from '../../api/resources.ts';
import { changedFields, readForm, readMetadata, writeMetadata } from './content-form.ts';

const texts = { name: ' Film ', sizeBytes: '', manifestKey: ' ', metadata: '' };
const fields = { name: 'Film', sizeBytes: null, manifestKey: null, metadata: {} };

it('reads what is written, and what is not as nothing', () => {
  expect(readForm(texts)).toEqual({ fields, faults: null });
});

it.each([
  ['0', 0],
  ['1 400 000', 1_400_000],
  ['1,400,000', 1_400_000],
  ["12'400", 12_400],
])('reads the size %s', (sizeBytes, size) => {
  expect(readForm({ ...texts, sizeBytes }).fields?.sizeBytes).toBe(size);
});

it('names every fault at once', () => {
  const { faults } = readForm({ ...texts, name: ' ', sizeBytes: '-1', metadata: '{' });
  expect(Object.keys(faults ?? {}).sort()).toEqual(['metadata', 'name', 'sizeBytes']);
  for (const sizeBytes of [
    'many',
    '9'.repeat(17),
    '1e3',
    ',',
    '1.5',
    '1,5',
    '15,00',
    '1,400.000',
    '1400,000',
    '1  400',
  ])
    expect(readForm({ ...texts, sizeBytes }).faults).toHaveProperty('sizeBytes');
});

it('says the form of a size that it does not take', () => {
  expect(readForm({ ...texts, sizeBytes: '1.5' }).faults?.sizeBytes).toMatch(/1500000 or 1,500,000/);
});

it('metadata that nobody touched stays as it is, whatever is in it', () => {
  const metadata = { a: 12345678901234567000 };
  const before = { metadata } as unknown as Content;
  const written = { ...texts, metadata: JSON.stringify(metadata, null, 2) };
  expect(readForm(written, before).fields?.metadata).toEqual(metadata);
  expect(readForm(written).faults).toHaveProperty('metadata');
});

it('finds the members that differ, so that what somebody else changed stays', () => {
  const content = { id: 'film', keyVersion: 1, ...fields, metadata: { a: 1 } } as unknown as Content;
  expect(changedFields(content, { ...fields, metadata: { a: 1 } })).toEqual({});
  expect(changedFields(content, { ...fields, name: 'Other' })).toEqual({ name: 'Other', metadata: {} });
});

it('reads what it has written, and nothing at all as none', () => {
  const metadata = {
    season: 2,
    size: 9007199254740991,
    part: 0.5,
    tags: ['a', '</script>'],
    deep: { er: null },
  };
  expect(readMetadata(writeMetadata(metadata))).toEqual({ metadata });
  expect(readMetadata(' \n')).toEqual({ metadata: {} });
  expect(writeMetadata({})).toBe('');
});

it.each([
  ['{\n  "a": 1,\n  oops\n}', /line 3, character 3/],
  ['{"a": 1', /no JSON/],
  ['[1]', /has to be an object/],
  ['"text"', /has to be an object/],
  ['null', /has to be an object/],
  ['{"a": 12345678901234567890}', /at “a” is too large to be kept exactly/],
  ['{"deep": {"er": -9007199254740993}}', /at “er”/],
  ['{"a": 1e999}', /at “a”/],
  [JSON.stringify({ a: 'é'.repeat(9_000) }), /too long: 18008 octets of 16384/],
])('says what is wrong with %.30s', (text, words) => {
  expect(readMetadata(text)).toEqual({ fault: expect.stringMatching(words) });
});

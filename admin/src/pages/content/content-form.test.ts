import { expect, it } from 'vitest';
import type { Content } from '../../api/schema.ts';
import { changedFields, placeOf, readForm, readMetadata, writeMetadata } from './content-form.ts';
import { noPeriodsTexts } from './key-periods-form.ts';

const texts = {
  name: ' Film ',
  sizeBytes: '',
  manifestKey: ' ',
  playlistUrl: ' ',
  metadata: '',
  keyPeriods: noPeriodsTexts,
};
const fields = {
  name: 'Film',
  sizeBytes: null,
  manifestKey: null,
  playlistUrl: null,
  metadata: {},
  keyPeriods: undefined,
};

it('filled fields are read, and empty ones are null', () => {
  expect(readForm(texts)).toEqual({ fields, faults: null });
});

it.each([
  ['0', 0],
  ['1 400 000', 1_400_000],
  ['1,400,000', 1_400_000],
  ["12'400", 12_400],
])('the size %s is read as a number of bytes', (sizeBytes, size) => {
  expect(readForm({ ...texts, sizeBytes }).fields?.sizeBytes).toBe(size);
});

it('all errors of a form are reported together', () => {
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

it('an invalid size is reported with the accepted forms', () => {
  expect(readForm({ ...texts, sizeBytes: '1.5' }).faults?.sizeBytes).toMatch(/1500000 or 1,500,000/);
});

it('the URL of a playlist is read without spaces, and anything but an http or https URL is reported', () => {
  const read = (playlistUrl: string) => readForm({ ...texts, playlistUrl });
  expect(read(' https://cdn.example/a.m3u8 ').fields?.playlistUrl).toBe('https://cdn.example/a.m3u8');
  for (const wrong of ['master.m3u8', '/a.m3u8', 'ftp://x/a', 'https://', 'javascript:alert(1)', 'https:a'])
    expect(read(wrong).faults).toEqual({ playlistUrl: expect.stringContaining('http or https URL') });
});

it('an emptied URL of a playlist is removed, and nothing is sent if the content had none', () => {
  const content = { ...fields, playlistUrl: 'https://cdn.example/a.m3u8' } as unknown as Content;
  const without = { ...fields, playlistUrl: null } as unknown as Content;
  const old = { ...fields } as unknown as Content;
  const changeOf = (before: Content) => {
    const { fields: after } = readForm(texts, before);
    return after && changedFields(before, after);
  };
  expect([content, without, old].map(changeOf)).toEqual([{ playlistUrl: null }, {}, {}]);
});

it('unchanged metadata is kept as it is', () => {
  const metadata = { a: 12345678901234567000 };
  const before = { metadata } as unknown as Content;
  const written = { ...texts, metadata: JSON.stringify(metadata, null, 2) };
  expect(readForm(written, before).fields?.metadata).toEqual(metadata);
  expect(readForm(written).faults).toHaveProperty('metadata');
});

it('only changed members are sent, so that changes by others are kept', () => {
  const content = { id: 'film', keyVersion: 1, ...fields, metadata: { a: 1 } } as unknown as Content;
  expect(changedFields(content, { ...fields, metadata: { a: 1 } })).toEqual({});
  expect(changedFields(content, { ...fields, name: 'Other' })).toEqual({ name: 'Other', metadata: {} });
});

it('written metadata is read back, and an empty text is no metadata', () => {
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
  ['{"a": 1', /not valid JSON/],
  ['[1]', /must be an object/],
  ['"text"', /must be an object/],
  ['null', /must be an object/],
  ['{"a": 12345678901234567890}', /at “a” is too large to be stored exactly/],
  ['{"deep": {"er": -9007199254740993}}', /at “er”/],
  ['{"a": 1e999}', /at “a”/],
  [JSON.stringify({ a: 'é'.repeat(9_000) }), /too long: 18008 bytes, at most 16384/],
])('invalid metadata is refused with the reason: %.30s', (text, words) => {
  expect(readMetadata(text)).toEqual({ fault: expect.stringMatching(words) });
});

it.each([
  [
    'Expected double-quoted property name in JSON at position 14 (line 3 column 3)',
    ': see line 3, character 3',
  ],
  [
    'JSON.parse: expected double-quoted property name at line 3 column 3 of the JSON data',
    ': see line 3, character 3',
  ],
  ['JSON.parse: unexpected end of data at line 3 column 7 of the JSON data', ': it ends too early'],
  ['Unexpected end of JSON input', ': it ends too early'],
  ['JSON Parse error: Expected ‘}’', ''],
])('the place of a mistake in JSON is read from the message of the browser: %s', (message, place) => {
  expect(placeOf('{\n  "a": 1,\n  oops\n}', new SyntaxError(message))).toBe(place);
});

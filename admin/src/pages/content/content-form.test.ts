import { expect, it } from 'vitest';
import type { Content } from '../../api/resources.ts';
import { changedFields, readForm } from './content-form.ts';

const texts = { name: ' Film ', sizeBytes: '', manifestKey: ' ', metadata: '' };
const fields = { name: 'Film', sizeBytes: null, manifestKey: null, metadata: {} };

it('reads what is written, and what is not as nothing', () => {
  expect(readForm(texts)).toEqual({ fields, faults: null });
});

it.each([
  ['0', 0],
  ['1 400 000', 1_400_000],
  ["1'400,000", 1_400_000],
])('reads the size %s', (sizeBytes, size) => {
  expect(readForm({ ...texts, sizeBytes }).fields?.sizeBytes).toBe(size);
});

it('names every fault at once', () => {
  const { faults } = readForm({ ...texts, name: ' ', sizeBytes: '-1', metadata: '{' });
  expect(Object.keys(faults ?? {}).sort()).toEqual(['metadata', 'name', 'sizeBytes']);
  for (const sizeBytes of ['many', '9'.repeat(17), '1e3', ','])
    expect(readForm({ ...texts, sizeBytes }).faults).toHaveProperty('sizeBytes');
});

it('finds the members that differ, so that what somebody else changed stays', () => {
  const content = { id: 'film', keyVersion: 1, ...fields, metadata: { a: 1 } } as unknown as Content;
  expect(changedFields(content, { ...fields, metadata: { a: 1 } })).toEqual({});
  expect(changedFields(content, { ...fields, name: 'Other' })).toEqual({ name: 'Other', metadata: {} });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Static, Type } from '../schema/type.ts';
import { createRecordReader, createStrictReader, nullable } from './record.ts';

const schema = Type.Object({
  id: Type.String(),
  state: nullable(Type.Object({ expiresAt: Type.Integer(), revokedAt: nullable(Type.Integer()) })),
  changes: Type.Array(
    Type.Union([
      Type.Object({ kind: Type.Literal('content'), contentId: Type.String() }),
      Type.Object({ kind: Type.Literal('lease'), leaseId: Type.String() }),
    ]),
  ),
  note: Type.Optional(Type.String()),
});
const read = createRecordReader(schema);
const record: Static<typeof schema> = {
  id: 'a',
  state: { expiresAt: 5, revokedAt: null },
  changes: [
    { kind: 'lease', leaseId: 'l' },
    { kind: 'content', contentId: 'film' },
  ],
};

test('a record is read exactly as it was sent', () => {
  expect(read(record)).toStrictEqual(record);
  expect(read({ ...record, state: null, note: 'n' })).toStrictEqual({ ...record, state: null, note: 'n' });
});

test('members that the schema does not have are left out, at every depth', () => {
  const newer = {
    ...record,
    more: 1,
    state: { expiresAt: 5, revokedAt: null, more: 2 },
    changes: record.changes.map((change) => ({ ...change, more: 3 })),
  };
  expect(read(newer)).toStrictEqual(record);
});

test.each([
  null,
  'text',
  7,
  [],
  {},
  { ...record, id: 5 },
  { ...record, state: { expiresAt: 5 } },
  { ...record, state: { expiresAt: 0.5, revokedAt: null } },
  { ...record, state: { expiresAt: '5', revokedAt: null } },
  { ...record, changes: [{ kind: 'weather' }] },
  { ...record, note: null },
])('a value that does not fit the schema is no record: %j', (value) => {
  expect(read(value)).toBeUndefined();
  expect(() => createStrictReader(schema, 'a record')(value)).toThrow('the answer is not a record');
});

test('no value makes the record reader throw, and a read record can be read again', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const result = read(value);
      if (result !== undefined) expect(read(result)).toStrictEqual(result);
    }),
  );
});

import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { schemaController, validateOnUse } from './compile-on-use.ts';

const schema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };

test('the schema of a request is compiled with the first one, and once', () => {
  let compiled = 0;
  const findFaults = validateOnUse(() => {
    compiled++;
    return new Ajv().compile(schema);
  });
  expect(compiled).toBe(0);
  expect(findFaults({ id: 'film' })).toEqual([]);
  expect(findFaults({})).toEqual([expect.objectContaining({ keyword: 'required' })]);
  // The faults of the value before this one are not repeated.
  expect(findFaults({ id: 'film' })).toEqual([]);
  expect(compiled).toBe(1);
});

test('the schema of an answer is compiled with the first one, and leaves out what it does not name', () => {
  let read = 0;
  const watched = {
    get type() {
      read++;
      return 'object';
    },
    properties: { id: { type: 'string' } },
  };
  const compile = schemaController.compilersFactory?.buildSerializer?.({}, {});
  const serialize = compile?.({ schema: watched, method: 'GET', url: '/', httpStatus: '200' } as never);
  expect(read).toBe(0);
  expect(serialize?.({ id: 'film', secret: 'x' })).toBe('{"id":"film"}');
  const readOnce = read;
  expect(serialize?.({ id: 'other' })).toBe('{"id":"other"}');
  expect([readOnce > 0, read]).toEqual([true, readOnce]);
});

import { expect, test } from 'vitest';
import { Type } from '../schema/type.ts';
import { createNamedSchemas } from './named-schemas.ts';

const Inner = Type.Object({ title: Type.String() }, { title: 'Inner' });
const Outer = Type.Object({ inner: Inner, others: Type.Array(Inner) }, { title: 'Outer' });

test('a schema with a title becomes a reference to one schema of that name, also within another one', () => {
  const schemas = createNamedSchemas();
  const referred = schemas.refer({ body: Outer, response: { 200: Type.Optional(Inner), 400: Outer } });
  expect(referred).toEqual({
    body: { $ref: 'Outer#' },
    response: { 200: { $ref: 'Inner#' }, 400: { $ref: 'Outer#' } },
  });
  const reference = { $ref: 'Inner#' };
  expect(schemas.all()).toEqual([
    { ...Inner, $id: 'Inner' },
    { ...Outer, $id: 'Outer', properties: { inner: reference, others: { type: 'array', items: reference } } },
  ]);
});

test('two different schemas with one name are refused, because a client would get one of them for both', () => {
  const schemas = createNamedSchemas();
  schemas.refer({ body: Inner });
  expect(() => schemas.refer({ body: { ...Inner, description: 'another one' } })).toThrow('called Inner');
});

import { Type as TypeBox } from 'typebox';
import { expect, test } from 'vitest';
import { Type } from './type.ts';

/** The same calls for both. What a call needs comes from the same maker. */
const schemas: Record<keyof typeof Type, (type: typeof Type) => unknown[]> = {
  String: (type) => [type.String(), type.String({ minLength: 1, description: 'a text' })],
  Integer: (type) => [type.Integer(), type.Integer({ minimum: 0 })],
  Number: (type) => [type.Number(), type.Number({ minimum: 0 })],
  Boolean: (type) => [type.Boolean(), type.Boolean({ default: false })],
  Null: (type) => [type.Null()],
  Unknown: (type) => [type.Unknown(), type.Unknown({ description: 'anything' })],
  Unsafe: (type) => [type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid' })],
  Literal: (type) => [type.Literal('a'), type.Literal(1, { description: 'one' }), type.Literal(true)],
  Enum: (type) => [type.Enum(['a', 'b']), type.Enum(['a'], { description: 'a letter' })],
  Union: (type) => [type.Union([type.String(), type.Null()], { description: 'a text or nothing' })],
  Array: (type) => [type.Array(type.String()), type.Array(type.Integer(), { maxItems: 3 })],
  Tuple: (type) => [type.Tuple([type.Integer({ minimum: 0 }), type.String()])],
  Record: (type) => [
    type.Record(type.String(), type.Integer(), { description: 'counts' }),
    type.Record(type.String({ pattern: '^[a-z]$' }), type.Unknown()),
  ],
  Object: (type) => [
    type.Object({}),
    type.Object(
      { some: type.Optional(type.Integer()), all: type.String() },
      { additionalProperties: false, description: 'both' },
    ),
    type.Object({ some: type.Optional(type.Object({ all: type.String() })) }),
  ],
  Partial: (type) => {
    const partial = type.Partial(type.Object({ all: type.String(), some: type.Optional(type.Integer()) }));
    return [partial, type.Object({ ...partial.properties, more: type.Null() })];
  },
  Optional: (type) => {
    const schema = type.String({ maxLength: 2 });
    return [type.Object({ optional: type.Optional(schema), required: schema })];
  },
};

test.each(Object.entries(schemas))(
  '%s makes the same schema as TypeBox, its members in the same order',
  (_, make) => {
    expect(JSON.stringify(make(Type))).toBe(JSON.stringify(make(TypeBox)));
  },
);

import type * as TypeBox from 'typebox';

export type { Static, TObject, TSchema } from 'typebox';

type JsonSchema = Record<string, unknown>;

const optional = new WeakSet<object>();

const ofType = (type: string) => (options?: object) => ({ type, ...options });

const makers = {
  String: ofType('string'),
  Integer: ofType('integer'),
  Number: ofType('number'),
  Boolean: ofType('boolean'),
  Null: ofType('null'),
  Unknown: (options?: object) => ({ ...options }),
  Unsafe: (schema: object) => ({ ...schema }),
  Literal: (value: string | number | boolean, options?: object) => ({
    type: typeof value,
    const: value,
    ...options,
  }),
  Enum: (values: readonly string[], options?: object) => ({ enum: values, ...options }),
  Union: (anyOf: readonly object[], options?: object) => ({ anyOf, ...options }),
  Array: (items: object, options?: object) => ({ type: 'array', items, ...options }),
  Tuple: (items: readonly object[], options?: object) => ({
    type: 'array',
    additionalItems: false,
    items,
    minItems: items.length,
    ...options,
  }),
  /** @param key a text; its pattern is the pattern of the names */
  Record: ({ pattern = '^.*$' }: { pattern?: string }, value: object, options?: object) => ({
    type: 'object',
    patternProperties: { [pattern]: value },
    ...options,
  }),
  Object: (properties: Record<string, object>, options?: object) => {
    const names = Object.keys(properties).filter((name) => !optional.has(properties[name] as object));
    return { type: 'object', ...(names.length > 0 && { required: names }), properties, ...options };
  },
  Partial: ({
    properties,
    required: _,
    ...rest
  }: {
    properties: Record<string, object>;
    required?: unknown;
  }) => ({
    ...rest,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name, makers.Optional(schema)]),
    ),
  }),
  Optional: (schema: object): JsonSchema => {
    const copy = { ...schema };
    optional.add(copy);
    return copy;
  },
};

/**
 * Makes JSON Schemas whose TypeScript type `Static` knows: those makers of TypeBox that the routes use, with TypeBox's own types. The schemas are the same,
 * as `type.test.ts` compares. TypeBox itself is 373 modules, most of them for types in text, and each process would load them at its start: some
 * 6 MiB of `npm start` (`npm run bench -- start`).
 */
export const Type = makers as unknown as Pick<typeof TypeBox.Type, keyof typeof makers>;

import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { ErrorObject, ValidateFunction } from 'ajv';
import type { FastifyServerOptions } from 'fastify';

type SchemaController = NonNullable<FastifyServerOptions['schemaController']>;

/**
 * Schemas are compiled with the first request that needs them. To compile all of them takes a fifth of the time of a start, and most
 * processes use a few.
 */
export const schemaController: SchemaController = {
  compilersFactory: {
    buildSerializer(schemas, options) {
      const compile = SerializerSelector()(schemas, options);
      return (route) => {
        let serialize: ReturnType<typeof compile> | undefined;
        return (value) => {
          serialize ??= compile(route);
          return serialize(value);
        };
      };
    },
  },
};

/**
 * @param compile what `validate` waits for
 * @returns the faults of a value; empty if it is valid
 */
export function validateOnUse(compile: () => ValidateFunction): (value: unknown) => ErrorObject[] {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= compile();
    return validate(value) ? [] : (validate.errors ?? []);
  };
}

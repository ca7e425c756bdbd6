import { Ajv } from 'ajv';
import { type Static, type TSchema, Type } from '../schema/type.ts';

/**
 * The validator of requests too. TypeBox's own would load TypeBox, which no process does (`../schema/type.ts`). The schemas are this
 * project's own, and to check them takes 20 ms of the first call.
 */
const ajv = new Ajv({ strict: false, validateSchema: false });

/**
 * @param value sent by another process, or stored
 * @returns a record with only the members of its schema; undefined where the value does not fit the schema
 */
type RecordReader<T> = (value: unknown) => T | undefined;

export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

type Copy = (value: unknown) => unknown;
type Check = (value: unknown) => boolean;

/** Compiled with its first value: a process reads a few of all records. */
function checkOf(schema: TSchema): Check {
  let check: Check | undefined;
  return (value) => {
    check ??= ajv.compile(schema) as Check;
    return check(value);
  };
}

/** The parts of a JSON schema that decide what is copied. */
interface Parts {
  properties?: Record<string, TSchema>;
  items?: TSchema;
  anyOf?: TSchema[];
}

/**
 * A reader for records of one schema. Members that are not in the schema are dropped: a newer process may send more of
 * them, and cached records must not grow by them. TypeBox's own `Clean` does the same but takes some fifty times as long.
 */
export function createRecordReader<T extends TSchema>(schema: T): RecordReader<Static<T>> {
  const check = checkOf(schema);
  const copy = copyOf(schema);
  return (value) => (check(value) ? (copy(value) as Static<T>) : undefined);
}

/**
 * Same as `createRecordReader`, but throws a TypeError where the value does not fit. @param what the record's name, for
 * the operator
 */
export function createStrictReader<T extends TSchema>(
  schema: T,
  what: string,
): (value: unknown) => Static<T> {
  const read = createRecordReader(schema);
  return (value) => {
    const record = read(value);
    if (record === undefined) throw new TypeError(`the answer is not ${what}`);
    return record;
  };
}

function copyOf(schema: TSchema): Copy {
  const { properties, items, anyOf } = schema as Parts;
  if (anyOf) return copyOfUnion(anyOf);
  if (properties) return copyOfObject(properties);
  if (items && !Array.isArray(items)) {
    const copy = copyOf(items);
    return (value) => (value as unknown[]).map(copy);
  }
  return (value) => value;
}

function copyOfObject(properties: Record<string, TSchema>): Copy {
  const members = Object.entries(properties).map(([name, schema]) => [name, copyOf(schema)] as const);
  // A constructor's object has room for exactly its members. One that begins as `{}` stores the fifth and later members
  // elsewhere.
  function Copied() {}
  Copied.prototype = Object.prototype;
  const create = Copied as unknown as new () => Record<string, unknown>;
  return (value) => {
    const copied = new create();
    for (const [name, copy] of members) {
      const member = (value as Record<string, unknown>)[name];
      if (member !== undefined) copied[name] = copy(member);
    }
    return copied;
  };
}

/** The first variant that the value fits. */
function copyOfUnion(variants: readonly TSchema[]): Copy {
  const copies = variants.map((schema) => ({ check: checkOf(schema), copy: copyOf(schema) }));
  return (value) => copies.find(({ check }) => check(value))?.copy(value);
}

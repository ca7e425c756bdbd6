import type { TSchema } from 'typebox';

/** Reads a number or a truth value from the text of a query, by the type that the schema demands. */
const readers: Record<string, (text: string) => unknown> = {
  // The forms of JSON (RFC 8259 section 6), plus leading zeros: no `0x10`, `1e1`, `+5` or ` 5`.
  integer: (text) => (/^-?\d+$/.test(text) ? Number(text) : text),
  number: (text) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text),
  boolean: (text) => (text === 'true' || text === 'false' ? text === 'true' : text),
};

/**
 * Makes a function that converts the texts of a query into numbers and truth values where the schema demands them. A text
 * in another form stays a text, and the schema refuses it.
 */
export function createQueryReader(schema: TSchema): (query: Record<string, unknown>) => void {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
  const typed = Object.entries(properties).flatMap(([name, { type = '' }]) => {
    const read = readers[type];
    return read ? [{ name, read }] : [];
  });
  return (query) => {
    for (const { name, read } of typed) {
      const value = query[name];
      if (typeof value === 'string') query[name] = read(value);
    }
  };
}

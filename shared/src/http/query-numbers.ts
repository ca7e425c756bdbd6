import type { TSchema } from 'typebox';

/** What a query says in place of a number or a truth value, by the type that the schema asks for. */
const readers: Record<string, (text: string) => unknown> = {
  // As JSON writes them (RFC 8259 section 6), but for leading zeros: no `0x10`, `1e1`, `+5` or ` 5`.
  integer: (text) => (/^-?\d+$/.test(text) ? Number(text) : text),
  number: (text) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text),
  boolean: (text) => (text === 'true' || text === 'false' ? text === 'true' : text),
};

/**
 * Makes a function that puts numbers and truth values in place of the texts of a query that are written as such, where
 * the schema asks for them. What is written otherwise stays a text, which the schema then refuses.
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

/**
 * Finds the resources in the schemas of routes: those with a `title`, such as `ApiKey`. Each is described once, under its name, so generated clients have
 * a type for it.
 */
export function createNamedSchemas() {
  /** With the name as `$id`. */
  const named = new Map<string, { text: string; schema: { $id: string } & Record<string, unknown> }>();
  const copies = new Map<object, unknown>();

  function copy(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    // Routes share the schemas of problems and of resources.
    if (!copies.has(value)) copies.set(value, Array.isArray(value) ? value.map(copy) : copyObject(value));
    return copies.get(value);
  }

  function copyObject(value: object): object {
    // For Ajv alone: in OpenAPI it would take the names of schemas for values.
    const members = Object.entries(value).filter(([name]) => name !== 'discriminator');
    const copied = Object.fromEntries(members.map(([name, member]) => [name, copy(member)]));
    const { title } = copied;
    if (typeof title !== 'string') return copied;
    const text = JSON.stringify(copied);
    const known = named.get(title);
    if (known && known.text !== text) throw new Error(`two different schemas are called ${title}`);
    named.set(title, { text, schema: { ...copied, $id: title } });
    return { $ref: `${title}#` };
  }

  return {
    /** A copy of the value in which each schema with a `title` is a reference to the schema of that name. */
    refer: (value: object) => copy(value) as object,
    /** The schemas that were referred to, by their names. */
    all: () => [...named.values()].map(({ schema }) => schema).sort((a, b) => (a.$id < b.$id ? -1 : 1)),
  };
}

/** Shorter parts are repeated: a reference would take as much. */
const shortest = 120;

/**
 * An OpenAPI document as indented JSON in its own order. A part that is the same as an earlier one names the path of the
 * earlier one instead: without it, the document has 40,000 lines.
 */
export function showDocument(document: { paths: object }): string {
  // The order of the paths has no meaning, and each profile has another.
  const paths = Object.fromEntries(Object.entries(document.paths).sort(([a], [b]) => (a < b ? -1 : 1)));
  const first = new Map<string, string>();
  const shorten = (value: unknown, path: string): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const text = JSON.stringify(value);
    if (text.length >= shortest) {
      const before = first.get(text);
      if (before !== undefined) return { 'same as': before };
      first.set(text, path);
    }
    if (Array.isArray(value)) return value.map((item, index) => shorten(item, `${path} ${index}`));
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [name, shorten(part, `${path} ${name}`)]),
    );
  };
  return `${JSON.stringify(shorten({ ...document, paths }, ''), null, 1)}\n`;
}

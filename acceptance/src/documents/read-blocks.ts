/** A block of code in a document. */
export interface CodeBlock {
  readonly language: string;
  readonly text: string;
}

/**
 * The blocks of code of a document, in their order.
 *
 * @param heading of the second level: only the blocks below it
 * @throws Error if there is no such heading
 */
export function readBlocks(markdown: string, heading?: string): CodeBlock[] {
  const section =
    heading === undefined
      ? markdown
      : markdown.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`there is no heading "${heading}"`);
  return [...section.matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, language = '', text = '']) => ({
    language,
    text,
  }));
}

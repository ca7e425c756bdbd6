/** A block of code in a document. */
export interface CodeBlock {
  readonly language: string;
  readonly text: string;
}

/** The blocks of code below a heading of the second level, in their order. @throws Error where there is no such heading */
export function readBlocks(markdown: string, heading: string): CodeBlock[] {
  const section = markdown.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`there is no heading "${heading}"`);
  return [...section.matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, language = '', text = '']) => ({
    language,
    text,
  }));
}

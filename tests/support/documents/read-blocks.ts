import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../repository.ts';

/** A block of code in a document. */
export interface CodeBlock {
  readonly language: string;
  readonly text: string;
}

/**
 * The blocks of code of a document, in their order. Those in a list lose its indentation.
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
  return [...section.matchAll(/^( *)```(\w+)\n(.*?)^\1```/gms)].map(
    ([, indentation = '', language = '', text = '']) => ({
      language,
      text: text.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
    }),
  );
}

/**
 * The text of the first block of this language with these words.
 *
 * @throws Error if there is no such block
 */
export function findBlock(blocks: readonly CodeBlock[], language: string, words: string): string {
  const block = blocks.find(({ language: its, text }) => its === language && text.includes(words));
  if (!block) throw new Error(`the document has no block of ${language} with "${words}"`);
  return block.text;
}

/** The text of a document, by its path from the root of the repository. */
export function readDocument(path: string): string {
  return readFileSync(join(repositoryFolder, path), 'utf8');
}

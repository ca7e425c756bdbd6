import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codes } from '@latchkey/shared/errors';
import { repositoryFolder } from '@latchkey/support/repository';

/** The error codes as the code declares them, each with its row in `docs/reference/errors.md`. */
export function showErrors(): string {
  const document = readFileSync(join(repositoryFolder, 'docs/reference/errors.md'), 'utf8').split('\n');
  const blocks = Object.entries(codes).map(([code, { status, title }]) => {
    const rows = document.filter((line) => line.startsWith(`| \`${code}\` |`));
    return [code, `  ${status} ${title}`, ...rows.map((row) => `  ${row}`)].join('\n');
  });
  return `${blocks.join('\n\n')}\n`;
}

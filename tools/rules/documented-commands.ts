import { commands } from '../commands.mjs';

/** A command of this repository that a document shows. */
export interface DocumentedCommand {
  /** `npm run bench`, `npm test`, `npm test -- faults`, `latchkey keygen`: what comes before the options. */
  readonly program: string;
  /** Options and their values, such as `--part` and `herd`. */
  readonly args: readonly string[];
}

/** A word after a sub-command is its argument, except after commands that have sub-commands of their own. */
const forms = [
  /^(npm (?:test|start|run [\w:-]+))(?: (?:--silent )?--(?: (.*))?)?$/,
  /^(?:npx )?(latchkey(?: (?:api-keys|audit)(?: [a-z][\w-]*)?| [a-z][\w-]*)?)((?: .*)?)$/,
];

/**
 * The commands that a document shows, in blocks of shell and in backticks: `npm run …`, `npm test`, `npm start`, and the
 * commands of `latchkey`.
 */
export function findDocumentedCommands(markdown: string): DocumentedCommand[] {
  const blocks = [...markdown.matchAll(/^( *)```sh\n(.*?)^ *```/gms)].map(([, , text = '']) => text);
  const spans = [...markdown.replace(/^( *)```.*?^ *```/gms, '').matchAll(/`([^`]+)`/g)].map(
    ([, text = '']) => text.replace(/\s+/g, ' '),
  );
  return [...blocks, ...spans]
    .flatMap((text) => text.replace(/\\\n\s*/g, ' ').split('\n'))
    .flatMap((line) => line.replace(/\s+#.*$/, '').split(/[|;<>]|&&/))
    .flatMap((statement) => readCommand(statement));
}

function readCommand(statement: string): DocumentedCommand[] {
  // Variables before a command are its environment; a variable may also take what the command writes.
  const plain = statement
    .trim()
    .replace(/^\w+=\$\((.*)\)$/, '$1')
    .replace(/^(?:\w+=\S* )+/, '');
  for (const form of forms) {
    const [, program, rest = ''] = form.exec(plain.replace(/\s+/g, ' ')) ?? [];
    if (!program) continue;
    const [word = '', ...others] = rest.trim().split(' ').filter(Boolean);
    const isOther = word in (commands[program.replace(/^npm (run )?/, '')]?.words ?? {});
    if (isOther) return [{ program: `${program} -- ${word}`, args: others }];
    return [{ program, args: [word, ...others].filter(Boolean) }];
  }
  return [];
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findDocumentedCommands } from './documented-commands.ts';

/** Options whose value is one or more words of a list, which the help names. */
const choosing = ['--part', '--only', '--profile'];

/**
 * Finds options, choices and test paths that documents show and that do not exist. Asks each program that a document shows for its
 * help. Returns a sentence for each.
 */
export async function findUnknownOptions(
  root: string,
  files: readonly string[],
  read: (file: string) => string,
): Promise<string[]> {
  const shown = files
    .filter((file) => file.endsWith('.md'))
    .flatMap((document) =>
      findDocumentedCommands(read(document)).map((command) => ({ document, ...command })),
    );
  const complaints: string[] = [];
  for (const [program, commands = []] of Object.entries(Object.groupBy(shown, ({ program }) => program))) {
    // One at a time: the types are checked meanwhile.
    const help = await readHelp(root, program);
    if (help === '' || (program.startsWith('latchkey ') && !help.includes(`Usage: ${program}`)))
      complaints.push(`${commands[0]?.document} shows ${program}, which does not exist`);
    const knows = (arg: string, before = '') => {
      if (arg.startsWith('-')) return arg === '--help' || help.includes(arg.split('=')[0] ?? '');
      if (choosing.includes(before)) return arg.split(',').every((choice) => help.includes(choice));
      if (program === 'npm run check') return false;
      const isPath = program === 'npm test' && before !== '-t';
      return !isPath || files.some((file) => file.endsWith('.test.ts') && file.includes(arg));
    };
    for (const { document, args } of commands)
      for (const [index, arg] of args.entries())
        if (!knows(arg, args[index - 1]))
          complaints.push(`${document} shows ${program} with ${arg}, which does not exist`);
  }
  return complaints;
}

async function readHelp(root: string, program: string): Promise<string> {
  const [first = '', ...words] = program
    .replace(/^npm (run )?/, 'npm ')
    .replace(' --', '')
    .split(' ');
  const args = [first === 'latchkey' ? 'tools/latchkey.mjs' : 'tools/run.mjs', ...words];
  const run = promisify(execFile)(process.execPath, [...args, '--help'], { cwd: root });
  return run.then(
    ({ stdout }) => stdout,
    () => '',
  );
}

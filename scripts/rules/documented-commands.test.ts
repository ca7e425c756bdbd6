import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { listSourceFiles } from '@latchkey/rig/source-files';
import { describe, expect, it } from 'vitest';
import { findDocumentedCommands } from './documented-commands.ts';

const root = join(import.meta.dirname, '../..');
const files = listSourceFiles(root);
const documents = files.filter((file) => file.endsWith('.md'));
const shown = documents.flatMap((document) =>
  findDocumentedCommands(readFileSync(join(root, document), 'utf8')).map((command) => ({
    document,
    ...command,
  })),
);
const byProgram = Object.groupBy(shown, ({ program }) => program);

/** What a program says of itself, without the colours and line breaks of a terminal. */
async function readHelp(program: string): Promise<string> {
  const [first = '', ...words] = program.split(' ');
  const args =
    first === 'latchkey' ? ['scripts/latchkey.mjs', ...words] : ['scripts/run.mjs', words.at(-1) ?? ''];
  const { stdout } = await promisify(execFile)(process.execPath, [...args, '--help'], { cwd: root });
  return stdout;
}

describe.each(Object.entries(byProgram))('%s', (program, commands = []) => {
  it(`${program} --help names each option that a document shows, and each word that stands for a choice`, async () => {
    const help = await readHelp(program);
    if (program.startsWith('latchkey ')) expect(help).toContain(`Usage: ${program}`);
    const unknown = commands.flatMap(({ document, args }) =>
      args
        .filter((arg) => arg.startsWith('-') && arg !== '--help' && !help.includes(arg.split('=')[0] ?? ''))
        .map((arg) => `${document}: ${program} ${arg}`),
    );
    expect(unknown).toEqual([]);
    // `--part faults,rolling`: the parts are listed, in the help of the script.
    const choices = commands.flatMap(({ document, args }) =>
      args.flatMap((arg, index) =>
        ['--part', '--only', '--profile'].includes(args[index - 1] ?? '')
          ? arg.split(',').flatMap((choice) => (help.includes(choice) ? [] : `${document}: ${arg}`))
          : [],
      ),
    );
    expect(choices).toEqual([]);
  });
});

it('every `npm test -- <path>` that a document shows names tests', () => {
  const paths = (byProgram['npm test'] ?? []).flatMap(({ args }) =>
    args.filter((arg) => !arg.startsWith('-')),
  );
  expect(paths).toEqual(expect.arrayContaining(['k8s', 'acceptance', 'services/leases']));
  for (const path of paths)
    expect(
      files.filter((file) => file.endsWith('.test.ts') && file.includes(path)).length,
      path,
    ).toBeGreaterThan(0);
});

it.each([
  [
    '`npm run bench -- --viewers 10000 --profile single`',
    'npm run bench',
    ['--viewers', '10000', '--profile', 'single'],
  ],
  ['`npm start -- --version`', 'npm start', ['--version']],
  ['`latchkey migrate\n--roles`', 'latchkey migrate', ['--roles']],
  [
    '```sh\nDATABASE_URL=postgres://a npx latchkey migrate --roles > out # and more\n```\n',
    'latchkey migrate',
    ['--roles'],
  ],
  [
    '```sh\ngit pull && npx latchkey api-keys create --name x \\\n  --scope full\n```\n',
    'latchkey api-keys create',
    ['--name', 'x', '--scope', 'full'],
  ],
  [
    '```sh\nURL=$(npx latchkey session film --viewer ada)\n```\n',
    'latchkey session',
    ['film', '--viewer', 'ada'],
  ],
])('in %j the command %s with %j is found', (text, program, args) => {
  expect(findDocumentedCommands(text)).toEqual([{ program, args }]);
});

it.each(['`latchkey.env`', '`docker run --name latchkey x`', '`npm`', 'npm test', '```js\nnpm test\n```\n'])(
  'in %j there is no command of this repository',
  (text) => {
    expect(findDocumentedCommands(text)).toEqual([]);
  },
);

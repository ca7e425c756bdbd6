import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { type Environment, spawnEntry } from '@latchkey/support/processes/spawn-entry';
import { singleNodeEntry, topology } from '@latchkey/support/stack/topology';
import { makeServerFolder } from '@latchkey/support/stores/server-program';

const processes = { 'single-node': { entry: singleNodeEntry }, ...topology };
const cli = 'cli/src/main.ts';
/** Fixed, because the terminal in which the tests run would change the output. */
const terminal = { TERM: 'dumb', COLUMNS: '80', NO_COLOR: '1' };

/** @returns its output, and its exit code if that is not 0 */
async function run(entry: string, args: readonly string[], env: Environment = {}): Promise<string> {
  const folder = makeServerFolder();
  const child = spawnEntry({ entry, args, folder, env: { ...terminal, ...env }, output: ['pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([
    textOf(child.stdout as Readable),
    textOf(child.stderr as Readable),
    once(child, 'close'),
  ]);
  rmSync(folder, { recursive: true });
  const end = child.exitCode === 0 ? '' : `\nexit code ${child.exitCode}`;
  return `${stdout}${stderr}`.trimEnd() + end;
}

/** `--help` of each process and of each command of `latchkey`, and how each process refuses its configuration. */
export async function readPrograms(): Promise<{ help: string; refusals: string }> {
  const help = new Map<string, string>();
  const refusals = new Map<string, string>();
  for (const [name, { entry }] of Object.entries(processes)) {
    const text = await run(entry, ['--help']);
    help.set(`${name} --help`, text);
    const variables = [...text.matchAll(/^([A-Z][A-Z0-9_]+)\b/gm)].map(([, variable = '']) => [
      variable,
      '~',
    ]);
    refusals.set(`${name} with ~ in each variable`, await run(entry, [], Object.fromEntries(variables)));
    refusals.set(`${name} in production`, await run(entry, [], { NODE_ENV: 'production' }));
  }
  const addCommands = async (command: readonly string[]) => {
    const text = await run(cli, [...command, '--help']);
    help.set(['latchkey', ...command, '--help'].join(' '), text);
    const list = text.split('\nCommands:\n')[1]?.split('\n\n')[0] ?? '';
    for (const [, name = ''] of list.matchAll(/^ {2}([a-z][\w-]*)/gm))
      if (name !== 'help') await addCommands([...command, name]);
  };
  await addCommands([]);
  for (const args of [['unknown'], ['encrypt'], ['--version']])
    help.set(['latchkey', ...args].join(' '), await run(cli, args));
  return { help: showTexts(shortenRepeats(help)), refusals: showTexts(shortenRepeats(refusals)) };
}

/** Most variables belong to several processes, which say the same of them: only the first of these texts is shown. */
function shortenRepeats(texts: ReadonlyMap<string, string>): Map<string, string> {
  const seen = new Set<string>();
  const shorten = (unit: string) => {
    const variable = /\b[A-Z][A-Z0-9_]+\b/.exec(unit)?.[0];
    if (!variable || !seen.has(unit)) return seen.add(unit) && unit;
    return `${variable} as before`;
  };
  const units = (text: string) => text.split(/\n(?=[A-Z]| {2}- )/);
  return new Map([...texts].map(([name, text]) => [name, units(text).map(shorten).join('\n')]));
}

/** Only names begin in the first column: `git diff` shows the last one above a difference. */
export function showTexts(texts: ReadonlyMap<string, string>): string {
  const show = (text: string) => text.split('\n').map((line) => (line === '' ? '' : `  ${line}`));
  return `${[...texts].map(([name, text]) => [name, ...show(text)].join('\n')).join('\n\n')}\n`;
}

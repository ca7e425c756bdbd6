import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { boolean, furtherSecrets, hexKey, integer, secret, text } from './forms.ts';
import { masterKeys } from './master-keys.ts';
import { ConfigError, describeSettings, describeVariables, type Rule, readSettings } from './settings.ts';
import type { Environment } from './source.ts';

const settings = {
  PORT: integer(0, 65_535).default(4100).describe('Where it listens.'),
  FLAG: boolean.optional().describe('Perhaps.'),
  TOKEN: secret(text).optional().describe('A credential.'),
  KEY_HEX: secret(hexKey).describe('A key.'),
  OTHERS: furtherSecrets(text).describe('More credentials.'),
};
const KEY_HEX = 'c0'.repeat(32);

/** A file system of one text for each path. */
const files: Record<string, string> = { '/t': 'hunter2\n', '/empty': '\n', '/two': 'hunter2\n\n' };
function readFile(path: string) {
  if (files[path] === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
  return files[path];
}
const read = (env: Environment, rules: Rule[] = []) => readSettings(settings, rules, env, readFile);

function faultsOf(env: Environment, rules: Rule[] = []): ConfigError {
  try {
    read(env, rules);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

it('each variable has its value under its name in the code, and its default if it is unset or empty', () => {
  const { values, warnings } = read({ KEY_HEX, FLAG: 'true', PORT: '', TOKEN: '' });
  expect({ ...values, keyHex: values.keyHex.reveal(), others: values.others.reveal() }).toEqual({
    ...{ port: 4100, flag: true, token: undefined, others: [] },
    keyHex: Buffer.alloc(32, 0xc0),
  });
  expect(warnings).toEqual([]);
});

it('every fault is reported together, each with the variable and the accepted forms', () => {
  expect(faultsOf({ PORT: '05', FLAG: 'yes' }).message.split('\n')).toEqual([
    'The configuration has 3 faults:',
    '  - PORT is "05", which is not a whole number in plain decimal digits. Accepted: a whole number from 0 to 65535, in decimal digits.',
    '  - FLAG is "yes", which is not of an accepted form. Accepted: `true` or `false`.',
    '  - KEY_HEX is not set, and there is no default. Accepted: 64 hexadecimal digits (32 bytes).',
  ]);
});

it.each<[how: string, Environment]>([
  ['in the variable', { KEY_HEX: 'hunter2' }],
  ['in its file', { KEY_HEX_FILE: '/t' }],
  ['in the file of a harmless variable', { KEY_HEX, PORT_FILE: '/t' }],
  ['in the variable and its file', { KEY_HEX, TOKEN: 'hunter2', TOKEN_FILE: '/t' }],
  ['in a list', { KEY_HEX, OTHERS: '["hunter2"]' }],
  ['as the password of a URL', { KEY_HEX, PORT: 'http://ada:hunter2@example.com' }],
])('a wrong value that is secret is never quoted, given %s', (_how, env) => {
  const error = faultsOf(env);
  expect(error.faults).toHaveLength(1);
  expect(inspect(error)).not.toContain('hunter2');
});

it('a long wrong value is cut', () => {
  expect(faultsOf({ KEY_HEX, PORT: '9'.repeat(1_000) }).message.length).toBeLessThan(300);
});

it('no secret is shown when values are inspected or converted to JSON or text', () => {
  const { values } = read({ KEY_HEX, TOKEN: 'hunter2' });
  for (const shown of [
    inspect(values, { showHidden: true, depth: 9 }),
    JSON.stringify(values),
    `${values.token}`,
  ]) {
    expect(shown).toContain('[secret]');
    expect(shown).not.toMatch(/hunter2|c0c0|192, ?192|c0 c0/);
  }
});

describe('X_FILE', () => {
  it('gives the text of the file without one newline, and an empty file of a list is an empty list', () => {
    expect(read({ KEY_HEX, TOKEN: '', TOKEN_FILE: '/t' }).values.token?.reveal()).toBe('hunter2');
    for (const OTHERS_FILE of ['/empty', '/nowhere'])
      expect(read({ KEY_HEX, OTHERS_FILE }).values.others.reveal()).toEqual([]);
  });

  it.each([
    ['both forms set', { TOKEN: 'a', TOKEN_FILE: '/t' }, 'TOKEN and TOKEN_FILE are both set'],
    ['no such file', { TOKEN_FILE: '/nowhere' }, '/nowhere, which does not exist'],
    ['an empty file', { TOKEN_FILE: '/empty' }, '/empty, which is empty'],
    ['a second newline', { TOKEN_FILE: '/two' }, 'control character'],
  ])('is refused with %s', (_name, env, message) => {
    const { faults } = faultsOf({ KEY_HEX, ...env });
    expect(faults).toEqual([{ variable: 'TOKEN', message: expect.stringContaining(message) }]);
  });

  it('is read from the file system', () => {
    const env = { KEY_HEX, TOKEN_FILE: import.meta.dirname };
    expect(() => readSettings(settings, [], env)).toThrow('which is a folder');
  });
});

it('a fault between variables is reported with the faults of single variables, but not if one of its own variables is faulty', () => {
  const rule: Rule = ({ port, flag }, { refuse }) => port === 1 && !flag && refuse('PORT', '1 needs FLAG');
  const names = (env: Environment) => faultsOf(env, [rule]).faults.map(({ variable }) => variable);
  expect(names({ PORT: '1' })).toEqual(['KEY_HEX', 'PORT']);
  expect(names({ KEY_HEX, PORT: '1', FLAG: 'maybe' })).toEqual(['FLAG']);
});

it('the help shows name, default, meaning and forms of each variable', () => {
  const help = describeVariables(settings);
  expect(help).toContain(
    'PORT (default 4100)\n    Where it listens.\n    Accepted: a whole number from 0 to 65535, in decimal digits.\n',
  );
  for (const line of ['KEY_HEX (required)', 'TOKEN (unset)', 'OTHERS (default none)'])
    expect(help).toContain(`${line}\n`);
});

it('operators see each text and its source, but no secret, no file, and no password or token of a URL', () => {
  const address = { URL: text.optional().describe('An address.') };
  const env = {
    ...{
      TOKEN: 'hunter2',
      PORT_FILE: '/t',
      KEY_HEX: '',
      MASTER_KEY_HEX: KEY_HEX,
      SALT_HEX: KEY_HEX,
      FLAG: 'x',
    },
    URL: 'https://ada:hunter2@example.com/a?token=hunter2,https://b.example/?x=hunter2',
  };
  const shown = describeSettings({ ...settings, ...address, masterKeys }, env);
  expect(Object.fromEntries(shown.map(({ name, from, value }) => [name, `${from}: ${value}`]))).toMatchObject(
    {
      PORT: 'file: null',
      FLAG: 'environment: x',
      TOKEN: 'environment: null',
      KEY_HEX: 'default: required',
      URL: 'environment: https://…@example.com/a?…,https://b.example/?…',
      MASTER_KEY_HEX: 'environment: null',
    },
  );
  expect(JSON.stringify(shown)).not.toMatch(/hunter2|c0c0/);
});

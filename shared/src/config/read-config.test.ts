import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { boolean, integer, secret, text } from './parsers.ts';
import {
  ConfigError,
  describeVariables,
  type ReadConfigOptions,
  type Rule,
  readConfig,
} from './read-config.ts';
import { hexKey } from './secret-parsers.ts';
import type { Environment } from './source.ts';
import { variable } from './variable.ts';

const settings = {
  port: variable({ name: 'PORT', type: integer(0, 65_535), fallback: 4100, about: 'Where it listens.' }),
  flag: variable({ name: 'FLAG', type: boolean, about: 'Perhaps.' }),
  token: variable({ name: 'TOKEN', type: secret(text), about: 'A credential.' }),
  key: variable({ name: 'KEY', type: secret(hexKey), required: true, about: 'A key.' }),
};
const key = 'c0'.repeat(32);

function faultsOf(env: Environment, options: ReadConfigOptions<typeof settings> = {}) {
  try {
    readConfig(settings, env, options);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

/** A file system of one text for each path. */
function files(texts: Record<string, string>) {
  return (path: string) => {
    const found = texts[path];
    if (found === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
    return found;
  };
}

describe('readConfig', () => {
  it('readConfig returns each variable under its name in the code, with the default where it is unset or empty', () => {
    const { values, warnings } = readConfig(settings, { KEY: key, FLAG: 'true', PORT: '' });
    expect([values.port, values.flag, values.token, values.key.reveal()]).toEqual([
      4100,
      true,
      undefined,
      Buffer.alloc(32, 0xc0),
    ]);
    expect(warnings).toEqual([]);
  });

  it('readConfig reports every fault together, each with the name and the accepted forms', () => {
    const error = faultsOf({ PORT: '05', FLAG: 'yes', KEY: 'short' });
    expect(error.faults.map((fault) => fault.variable)).toEqual(['PORT', 'FLAG', 'KEY']);
    expect(error.message).toContain(
      'PORT is "05", which is not a whole number in plain decimal digits. Accepted: a whole number from 0 to 65535',
    );
    expect(error.message).toContain(
      'FLAG is "yes", which is neither `true` nor `false`. Accepted: `true` or `false`.',
    );
  });

  it('readConfig reports a required variable that is missing', () => {
    expect(faultsOf({}).faults).toEqual([
      { variable: 'KEY', message: expect.stringContaining('KEY is not set') },
    ]);
  });

  it.each([
    ['X', { KEY: 'deadbeef-not-a-key' }],
    ['X_FILE', { KEY_FILE: '/secret' }],
    ['a harmless variable as X_FILE', { KEY: key, PORT_FILE: '/secret' }],
  ])('never quotes a secret that is wrong, given as %s', (_how, env) => {
    const error = faultsOf(env, { readFile: files({ '/secret': 'deadbeef-not-a-key' }) });
    for (const shown of [error.message, inspect(error), JSON.stringify(error)])
      expect(shown).not.toContain('deadbeef');
    expect(error.message).toMatch(/(KEY|PORT) \(not shown here\) is not /);
  });

  it('no secret is shown when values are inspected or converted to JSON or text', () => {
    const { values } = readConfig(settings, { KEY: key, TOKEN: 'hunter2' });
    const shown = [
      inspect(values, { showHidden: true, depth: 9 }),
      JSON.stringify({ ...values }),
      `${values.token}`,
    ];
    for (const view of shown) {
      expect(view).toContain('[secret]');
      expect(view).not.toMatch(/hunter2|c0c0|192, ?192|c0 c0/);
    }
  });
});

describe('X_FILE', () => {
  it.each(['hunter2', 'hunter2\n', 'hunter2\r\n'])(
    'gives the text of the file without one newline: %j',
    (content) => {
      const { values } = readConfig(
        settings,
        { KEY: key, TOKEN: '', TOKEN_FILE: '/t' },
        { readFile: files({ '/t': content }) },
      );
      expect(values.token?.reveal()).toBe('hunter2');
    },
  );

  it('of the file that X_FILE names, only one newline at the end is removed', () => {
    const error = faultsOf({ KEY: key, TOKEN_FILE: '/t' }, { readFile: files({ '/t': 'hunter2\n\n' }) });
    expect(error.faults[0]?.message).toContain('control character');
  });

  it.each([
    ['both forms set', { TOKEN: 'hunter2', TOKEN_FILE: '/t' }, 'TOKEN and TOKEN_FILE are both set'],
    ['no such file', { TOKEN_FILE: '/nowhere' }, '/nowhere, which does not exist'],
    ['an empty file', { TOKEN_FILE: '/empty' }, '/empty, which is empty'],
  ])('is refused with %s', (_name, env, message) => {
    const error = faultsOf({ KEY: key, ...env }, { readFile: files({ '/t': 'hunter2', '/empty': '\n' }) });
    expect(error.faults).toEqual([{ variable: 'TOKEN', message: expect.stringContaining(message) }]);
    expect(error.message).not.toContain('hunter2');
  });

  it('the file that X_FILE names is read from the file system', () => {
    expect(faultsOf({ KEY: key, TOKEN_FILE: import.meta.dirname }).message).toContain('which is a folder');
  });
});

describe('a rule', () => {
  const rule: Rule<{ port?: number; flag?: boolean | undefined }> = {
    uses: ['port', 'flag'],
    check: ({ port }) => (port === 1 ? [{ variable: 'PORT', message: 'PORT 1 needs FLAG.' }] : []),
  };

  it('a fault between variables is reported together with the faults of single variables', () => {
    const error = faultsOf({ PORT: '1' }, { rules: [rule] });
    expect(error.faults.map((fault) => fault.variable)).toEqual(['KEY', 'PORT']);
  });

  it('a rule is skipped where a variable that it uses already has a fault', () => {
    const error = faultsOf({ KEY: key, PORT: '1', FLAG: 'maybe' }, { rules: [rule] });
    expect(error.faults.map((fault) => fault.variable)).toEqual(['FLAG']);
  });
});

it('describeVariables shows name, default, meaning and forms of each variable', () => {
  const help = describeVariables(settings);
  expect(help).toContain(
    'PORT (default 4100)\n    Where it listens.\n    Accepted: a whole number from 0 to 65535',
  );
  expect(help).toContain('KEY (required)\n');
  expect(help).toContain('TOKEN (unset)\n');
});

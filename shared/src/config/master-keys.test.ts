import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { masterKeys } from './master-keys.ts';
import { ConfigError, readConfig } from './read-config.ts';
import type { Environment } from './source.ts';

const a = 'aa'.repeat(32);
const b = 'bb'.repeat(32);
const readFile = (path: string) => `${path.repeat(64)}\n`;

function read(env: Environment) {
  return readConfig({ masterKeys }, env, { readFile }).values.masterKeys;
}

describe('the master keys', () => {
  it.each<[string, Environment, [number, string, string][]]>([
    ['none', {}, []],
    ['none, where the variables are empty', { MASTER_KEY_HEX: '', SALT_HEX: '', MASTER_KEY_HEX_V2: '' }, []],
    ['version 1', { MASTER_KEY_HEX: a, SALT_HEX: b }, [[1, a, b]]],
    ['the same value twice', { MASTER_KEY_HEX: a, SALT_HEX: a }, [[1, a, a]]],
    ['from files', { MASTER_KEY_HEX_FILE: '1', SALT_HEX_FILE: '2' }, [[1, '1'.repeat(64), '2'.repeat(64)]]],
    [
      'several, rising, with gaps',
      {
        SALT_HEX_V10: a,
        MASTER_KEY_HEX_V10: b,
        MASTER_KEY_HEX: a,
        SALT_HEX: b,
        MASTER_KEY_HEX_V3_FILE: '3',
        SALT_HEX_V3: b,
      },
      [
        [1, a, b],
        [3, '3'.repeat(64), b],
        [10, b, a],
      ],
    ],
  ])('%s', (_name, env, expected) => {
    const found = read(env).reveal();
    expect(found.map((m) => [m.version, m.masterKey.toString('hex'), m.salt.toString('hex')])).toEqual(
      expected,
    );
  });

  it.each<[string, Environment, string[]]>([
    ['a key without its salt', { MASTER_KEY_HEX: a }, ['SALT_HEX']],
    ['a salt without its key', { SALT_HEX: a }, ['MASTER_KEY_HEX']],
    ['no version 1', { MASTER_KEY_HEX_V2: a, SALT_HEX_V2: a }, ['MASTER_KEY_HEX']],
    ['two faults at once', { MASTER_KEY_HEX: 'x', SALT_HEX: 'y' }, ['MASTER_KEY_HEX', 'SALT_HEX']],
    ['both forms', { MASTER_KEY_HEX: a, MASTER_KEY_HEX_FILE: '1', SALT_HEX: a }, ['MASTER_KEY_HEX']],
    ...['V1', 'V0', 'V02', 'V1000', 'Vx', 'V'].map((suffix): [string, Environment, string[]] => [
      `the version ${suffix}`,
      { MASTER_KEY_HEX: a, SALT_HEX: a, [`SALT_HEX_${suffix}`]: b },
      [`SALT_HEX_${suffix}`],
    ]),
  ])('are refused with %s', (_name, env, variables) => {
    const attempt = () => read(env);
    expect(attempt).toThrow(ConfigError);
    try {
      attempt();
    } catch (error) {
      expect((error as ConfigError).faults.map((fault) => fault.variable)).toEqual(variables);
      expect(inspect(error)).not.toContain('aaaa');
    }
  });

  it('master keys appear in no output', () => {
    const shown = inspect({ keys: read({ MASTER_KEY_HEX: a, SALT_HEX: b }) }, { depth: 9, showHidden: true });
    expect(shown).toContain('[secret]');
    expect(shown).not.toMatch(/aa|bb/);
  });
});

import { expect, it } from 'vitest';
import { describeSettings } from './describe-settings.ts';
import { masterKeys } from './master-keys.ts';
import { integer, secret, text } from './parsers.ts';
import { variable } from './variable.ts';

const settings = {
  port: variable({ name: 'PORT', type: integer(1, 10), fallback: 4, about: 'A port.' }),
  pass: variable({ name: 'PASS', type: secret(text), about: 'A password.' }),
  url: variable({ name: 'URL', type: text, about: 'An address.' }),
  masterKeys,
};
const valuesOf = (env: Record<string, string>) =>
  Object.fromEntries(
    describeSettings(settings, env).map(({ name, from, value }) => [name, `${from}: ${value}`]),
  );

it('a variable is shown with its text and where it comes from, or with its default', () => {
  expect(valuesOf({ PORT: '7' })).toMatchObject({ PORT: 'environment: 7', URL: 'default: unset' });
  expect(valuesOf({})).toMatchObject({ PORT: 'default: default 4', PASS: 'default: unset' });
});

it('no secret is shown, no file is read, and no password or token of a URL is shown', () => {
  const key = '0123456789abcdef0123456789abcdef';
  const env = {
    ...{ PASS: 'hunter2', PORT_FILE: '/run/secrets/port', MASTER_KEY_HEX: key, SALT_HEX: key },
    URL: 'https://ada:hunter2@example.com/a?token=hunter2,https://b.example/?x=hunter2',
  };
  const shown = valuesOf(env);
  expect(shown).toMatchObject({
    PASS: 'environment: null',
    PORT: 'file: null',
    MASTER_KEY_HEX: 'environment: null',
    URL: 'environment: https://…@example.com/a?…,https://b.example/?…',
  });
  expect(JSON.stringify(shown)).not.toMatch(/hunter2|0123456789abcdef/);
});

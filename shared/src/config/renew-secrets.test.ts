import { expect, test } from 'vitest';
import { secret, text } from './parsers.ts';
import { readConfig } from './read-config.ts';
import { readsFiles, renewSecrets } from './renew-secrets.ts';
import { Secret } from './secret.ts';
import { several } from './secret-parsers.ts';
import type { Environment } from './source.ts';
import { variable } from './variable.ts';

const settings = {
  token: variable({
    name: 'TOKEN',
    type: secret(text),
    required: true,
    renewable: true,
    about: 'A credential.',
  }),
  tokenPrevious: variable({
    name: 'TOKEN_PREVIOUS',
    type: secret(several(text)),
    fallback: new Secret<readonly string[]>([]),
    renewable: true,
    mayBeEmpty: true,
    about: 'The one before.',
  }),
  master: variable({ name: 'MASTER', type: secret(text), about: 'Read at the start.' }),
};
const env: Environment = { TOKEN_FILE: '/token', TOKEN_PREVIOUS_FILE: '/previous', MASTER_FILE: '/master' };

function start(files: Record<string, string>) {
  const readFile = (path: string) => {
    const found = files[path];
    if (found === undefined) throw Object.assign(new Error('none'), { code: 'ENOENT' });
    return found;
  };
  const read = () => readConfig(settings, env, { readFile }).values;
  const values = read();
  return { values, renew: () => renewSecrets(settings, values, read()) };
}

test('every renewable secret takes what its file holds, and those that changed are named', () => {
  const files: Record<string, string> = { '/token': 'one', '/master': 'm' };
  const { values, renew } = start(files);
  const { token, tokenPrevious } = values;
  expect(tokenPrevious.reveal()).toEqual([]);
  Object.assign(files, { '/token': 'two', '/previous': 'one,\nzero\n' });
  expect(renew()).toEqual({ renewed: ['TOKEN', 'TOKEN_PREVIOUS'], needRestart: [] });
  expect([token.reveal(), tokenPrevious.reveal()]).toEqual(['two', ['one', 'zero']]);
  expect(renew()).toEqual({ renewed: [], needRestart: [] });
});

test('a list is empty again where its file is empty or gone', () => {
  const files: Record<string, string> = { '/token': 'one', '/master': 'm', '/previous': 'zero' };
  const { values, renew } = start(files);
  files['/previous'] = '\n';
  renew();
  expect(values.tokenPrevious.reveal()).toEqual([]);
  files['/previous'] = 'zero';
  renew();
  delete files['/previous'];
  renew();
  expect(values.tokenPrevious.reveal()).toEqual([]);
});

test('only a file of a variable counts as one that can be read again', () => {
  expect(readsFiles(settings, env)).toBe(true);
  expect(readsFiles(settings, { TOKEN: 'one', SSL_CERT_FILE: '/etc/ssl/cert.pem', TOKEN_FILE: '' })).toBe(
    false,
  );
});

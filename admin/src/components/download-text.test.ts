import { expect, it } from 'vitest';
import { toFileName } from './download-text.ts';

it.each([
  ['Encoder in Frankfurt', 'Encoder-in-Frankfurt'],
  ['../../etc/passwd', 'etc-passwd'],
  ['Müller', 'Mu-ller'],
  ['🔑🔑', 'key'],
  ['\u202Egnp.exe', 'gnp.exe'],
  ['x'.repeat(200), 'x'.repeat(60)],
])('a key named %j is saved as file %j', (name, file) => {
  expect(toFileName(name)).toBe(file);
});

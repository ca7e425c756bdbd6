import { expect, it } from 'vitest';
import { toFileName } from './download-text.ts';

it.each([
  ['Encoder in Frankfurt', 'Encoder-in-Frankfurt'],
  ['../../etc/passwd', 'etc-passwd'],
  ['Müller', 'Mu-ller'],
  ['🔑🔑', 'key'],
  ['\u202Egnp.exe', 'gnp.exe'],
  ['x'.repeat(200), 'x'.repeat(60)],
])('the key %j is saved as %j', (name, file) => {
  expect(toFileName(name)).toBe(file);
});

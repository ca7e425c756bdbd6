import { expect, it } from 'vitest';
import { markDirection, withoutDirection } from './mark-direction.ts';

it('each character that changes the direction of a name is shown by its code point', () => {
  expect(markDirection('film\u202Egnp.exe\u202C')).toEqual([
    { text: 'film', isMark: false },
    { text: 'U+202E', isMark: true },
    { text: 'gnp.exe', isMark: false },
    { text: 'U+202C', isMark: true },
  ]);
  for (const code of [0x061c, 0x200e, 0x200f, 0x202a, 0x202d, 0x2066, 0x2067, 0x2068, 0x2069]) {
    const shown = withoutDirection(`a${String.fromCharCode(code)}b`);
    expect(shown).toBe(`a[U+${code.toString(16).toUpperCase().padStart(4, '0')}]b`);
  }
});

it('a name without such characters is shown as it is, in any script', () => {
  for (const name of ['', 'The long way home', 'فيلم', 'סרט', '🔑'])
    expect(withoutDirection(name)).toBe(name);
});

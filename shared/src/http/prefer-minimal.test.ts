import { expect, it } from 'vitest';
import { prefersMinimal } from './prefer-minimal.ts';

it.each([
  ['return=minimal', true],
  ['respond-async, Return = "minimal"; foo=bar', true],
  ['return=representation, return=minimal', false],
  ['handling=minimal', false],
  ['return', false],
  ['', false],
  [undefined, false],
])('Prefer: %s asks for a minimal answer: %s', (prefer, is) => {
  expect(prefersMinimal({ prefer })).toBe(is);
});

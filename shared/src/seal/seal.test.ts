import { expect, test } from 'vitest';
import { createSeal, sealLength } from './seal.ts';

const seal = createSeal(['the secret of all processes']);

test('a process with the same secret accepts the seal, which always has the same length', () => {
  const made = seal.of('lease:1', 'text');
  expect(made).toHaveLength(sealLength);
  expect(createSeal(['the secret of all processes']).isOf('lease:1', 'text', made)).toBe(true);
});

test('a seal is invalid for another text, another place, another split of both, or another secret', () => {
  const made = seal.of('lease:1', 'text');
  expect(seal.isOf('lease:1', 'texu', made)).toBe(false);
  expect(seal.isOf('lease:2', 'text', made)).toBe(false);
  expect(seal.isOf('lease:1t', 'ext', made)).toBe(false);
  expect(createSeal(['another']).isOf('lease:1', 'text', made)).toBe(false);
});

test.each(['', 'x', '!'.repeat(43), 'A'.repeat(43), 'A'.repeat(10_000)])(
  'what is not a seal at all is refused without an error: %#',
  (text) => {
    expect(seal.isOf('lease:1', 'text', text)).toBe(false);
  },
);

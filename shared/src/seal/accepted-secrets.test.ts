import { expect, test } from 'vitest';
import { acceptedSecrets, madeOf } from './accepted-secrets.ts';
import { createSeal } from './seal.ts';

/** A process whose secrets are replaced while it runs. */
function openProcess(current: string, previous: readonly string[] = []) {
  const held = { current, previous };
  const accepted = acceptedSecrets({ reveal: () => held.current }, { reveal: () => held.previous });
  const renew = (next: string, before: readonly string[]) => {
    held.current = next;
    held.previous = before;
  };
  return { accepted, seal: createSeal(accepted), renew };
}

test('the accepted secrets are the same array until one of them is renewed', () => {
  const { accepted, renew } = openProcess('one');
  const before = accepted();
  expect(accepted()).toBe(before);
  renew('two', ['one']);
  expect(accepted()).toEqual(['two', 'one']);
  expect(accepted()).toBe(accepted());
});

test('what is made of a value is made again after a renewal, and not before', () => {
  const held = { value: 'one' };
  let times = 0;
  const made = madeOf(
    () => held.value,
    (value) => `${value}, ${++times}`,
  );
  expect([made(), made()]).toEqual(['one, 1', 'one, 1']);
  held.value = 'two';
  expect([made(), made()]).toEqual(['two, 2', 'two, 2']);
});

test('two processes accept the seals of each other through each step of a replaced secret, in either order', () => {
  const steps = [
    ['one', ['two']],
    ['two', ['one']],
    ['two', []],
  ] as const;
  const [a, b] = [openProcess('one'), openProcess('one')];
  const agree = () => {
    for (const [maker, reader] of [
      [a, b],
      [b, a],
    ] as const)
      expect(reader.seal.isOf('lease:1', 'text', maker.seal.of('lease:1', 'text'))).toBe(true);
  };
  for (const [index, [current, previous]] of steps.entries()) {
    const [first, second] = index % 2 === 0 ? [a, b] : [b, a];
    first.renew(current, previous);
    agree();
    second.renew(current, previous);
    agree();
  }
  expect(a.seal.isOf('lease:1', 'text', createSeal(() => ['one']).of('lease:1', 'text'))).toBe(false);
});

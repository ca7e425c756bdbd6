import { expect, test } from 'vitest';
import { acceptedSecrets } from './accepted-secrets.ts';
import { createSeal } from './seal.ts';

/** The seal of a process that was started with these secrets. */
const sealOf = (current: string, previous: readonly string[] = []) =>
  createSeal(acceptedSecrets({ reveal: () => current }, { reveal: () => previous }));

test('while a secret is replaced, processes of each step accept the seals of the step before and of the next one', () => {
  const steps = [sealOf('one'), sealOf('one', ['two']), sealOf('two', ['one']), sealOf('two')];
  for (const [index, later] of steps.entries()) {
    const earlier = steps[index - 1] ?? later;
    expect(later.isOf('lease:1', 'text', earlier.of('lease:1', 'text'))).toBe(true);
    expect(earlier.isOf('lease:1', 'text', later.of('lease:1', 'text'))).toBe(true);
  }
  expect(sealOf('two').isOf('lease:1', 'text', sealOf('one').of('lease:1', 'text'))).toBe(false);
});

import { expect, test } from 'vitest';
import { findKubectl, findVersionFault } from './find-kubectl.ts';

const answer = (gitVersion: string) => JSON.stringify({ clientVersion: { gitVersion } });

test.each(['v1.27.0', 'v1.32.4-dispatcher', 'v1.40.1'])('takes kubectl %s', (version) => {
  expect(findVersionFault(answer(version))).toBeNull();
});

test.each(['v1.20.2', 'v1.26.15', 'unheard of'])('refuses kubectl %s and says what helps', (version) => {
  expect(findVersionFault(answer(version))).toMatch(/too old: take 1\.27 or newer, and set KUBECTL_PATH/);
});

test('says what to install where there is no kubectl', () => {
  expect(() => findKubectl({ KUBECTL_PATH: '/nowhere/kubectl' })).toThrow(
    'There is no kubectl: install it, or set KUBECTL_PATH to its path (tried /nowhere/kubectl).',
  );
});

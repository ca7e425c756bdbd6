import { expect, test } from 'vitest';
import { findKubectl, findVersionFault } from './find-kubectl.ts';

const answer = (gitVersion: string) => JSON.stringify({ clientVersion: { gitVersion } });

test.each(['v1.27.0', 'v1.32.4-dispatcher', 'v1.40.1'])('kubectl %s is accepted', (version) => {
  expect(findVersionFault(answer(version))).toBeNull();
});

test.each(['v1.20.2', 'v1.26.15', 'unknown'])('kubectl %s is refused, with a hint', (version) => {
  expect(findVersionFault(answer(version))).toMatch(/too old: take 1\.27 or newer, and set KUBECTL_PATH/);
});

test('a missing kubectl is reported with what to install', () => {
  expect(() => findKubectl({ KUBECTL_PATH: '/nowhere/kubectl' })).toThrow(
    'There is no kubectl: install it, or set KUBECTL_PATH to its path (tried /nowhere/kubectl).',
  );
});

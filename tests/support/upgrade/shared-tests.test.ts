import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findSharedTests } from './shared-tests.ts';

function makeRelease(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'latchkey-release-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'acceptance/src'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, 'acceptance/src', name), text);
  return root;
}

it('two releases share the tests of servers that both have, and the tests that only the newer one has are named', () => {
  const both = {
    'leases.test.ts': 'await openTarget()',
    'keys.test.ts': 'await startServer()',
    'tokens.test.ts': 'expect(1)',
    'proxies.test.ts': "from './proxies/proxied-server.ts'; await startServer()",
    'kill.test.ts': 'await startServer()',
    'stage.ts': 'openTarget()',
  };
  const older = makeRelease({ ...both, 'gone.test.ts': 'openTarget()', 'moved.test.ts': 'startServer()' });
  const newer = makeRelease({ ...both, 'new.test.ts': 'openTarget()', 'moved.test.ts': 'openTarget()' });
  expect(findSharedTests(older, newer)).toEqual({
    onGiven: ['acceptance/src/leases.test.ts'],
    onOwn: ['keys', 'leases', 'moved'].map((name) => `acceptance/src/${name}.test.ts`),
    notShared: ['acceptance/src/new.test.ts'],
  });
});

import { describe, expect, it } from 'vitest';
import { findWrongImports } from './import-directions.ts';

// Builds the imports of the tables below, so that the rule does not take this file to import them.
const from = (specifier: string) => `import { x } ${'from'} '${specifier}';\n`;

describe('allowed', () => {
  it.each([
    ['gateway/src/single-node.ts', '@latchkey/leases'],
    ['gateway/src/edge.ts', '@latchkey/key-derivation'],
    ['gateway/src/gateway.ts', '@latchkey/shared/http'],
    ['cli/src/api-keys.ts', '@latchkey/auth'],
    ['services/auth/src/serve.ts', './index.ts'],
    ['services/auth/src/index.ts', './mount.ts'],
    ['services/auth/src/mount.ts', './routes/list-api-keys.ts'],
    ['services/auth/src/routes/list-api-keys.ts', '../api-key-store.ts'],
    ['services/auth/src/list.test.ts', './index.ts'],
    ['shared/src/config/index.ts', '../net/trust-proxy.ts'],
    ['shared/src/replicas/lease-source.ts', '../authority/index.ts'],
    ['shared/src/replicas/lease-source.ts', './state-store.ts'],
    ['shared/src/clock/clock.test.ts', '../testing/stop-time.ts'],
    ['shared/src/http/host.fixture.ts', '../testing/test-host.ts'],
    ['tests/api/keys.test.ts', '@latchkey/cli/encrypt'],
    ['tests/oracle/recorder.ts', '../../gateway/src/odd-key-requests.fixture.ts'],
    ['examples/demo/main.ts', '@latchkey/support/provide-tool'],
    ['tests/api/keys.test.ts', '@latchkey/support/find-free-port'],
    ['shared/src/replicas/redis-state-store.test.ts', '@latchkey/support/find-free-port'],
    ['services/leases/src/lease.fixture.ts', '@latchkey/support/find-free-port'],
    ['tools/test.ts', '@latchkey/support/test-run/run-tests'],
    ['tests/api/admin.test.ts', '../../tools/ensure-dashboard.mjs'],
    ['examples/demo/main.ts', '@latchkey/cli/encrypt'],
    ['tools/check.ts', './run-tests.ts'],
    ['cli/src/encrypt/upload.ts', '@latchkey/uploader'],
    ['examples/application/page.ts', '@latchkey/player'],
    ['cli/src/encrypt/ffmpeg-plays.test.ts', '@latchkey/support/video/make-video'],
  ])('%s may import %s', (file, specifier) => {
    expect(findWrongImports(file, from(specifier))).toEqual([]);
  });
});

it('an import at the start of a string is not taken for an import of the file', () => {
  const text = `const snippet = \`${from('@latchkey/player')}\`;`;
  expect(findWrongImports('admin/src/pages/setup/snippets.ts', text)).toEqual([]);
});

describe('refused', () => {
  it.each([
    ['gateway/src/gateway.ts', '@latchkey/leases'],
    ['services/auth/src/index.ts', '@latchkey/leases'],
    ['services/content/src/index.ts', '@latchkey/uploader'],
    ['sdk/player/src/index.ts', '@latchkey/shared/http'],
    ['services/auth/src/index.test.ts', '@latchkey/leases'],
    ['services/auth/src/index.ts', '../../leases/src/index.ts'],
    ['services/auth/src/index.ts', '@latchkey/cli'],
    ['shared/src/db/index.ts', '@latchkey/auth'],
    ['shared/src/db/index.ts', '@latchkey/shared/http'],
    ['cli/src/main.ts', '@latchkey/leases'],
    ['tests/api/keys.test.ts', '@latchkey/shared/errors'],
    ['tests/api/keys.test.ts', '@latchkey/cli/api-keys'],
    ['admin/src/main.tsx', '@latchkey/shared/errors'],
    ['examples/demo/main.ts', '@latchkey/leases'],
    ['sdk/player/src/index.ts', '@latchkey/shared/errors'],
    ['gateway/src/gateway.ts', '../../shared/src/http/index.ts'],
    ['shared/src/db/index.ts', '@latchkey/support/find-free-port'],
    ['services/auth/src/index.ts', '@latchkey/support/find-free-port'],
    ['gateway/src/single-node.ts', '@latchkey/support/find-free-port'],
    ['cli/src/main.ts', '@latchkey/support/find-free-port'],
    ['sdk/player/src/index.ts', '@latchkey/support/find-free-port'],
    ['services/auth/src/index.ts', '../../../tools/ensure-dashboard.mjs'],
    ['tests/support/stack/topology.ts', '@latchkey/shared/config'],
    ['tests/support/stack/topology.ts', '@latchkey/support/dashboard/inspect-page'],
    ['shared/src/authority/authority.ts', '../replicas/lease-source.ts'],
    ['shared/src/config/variables/http.ts', '../../http/host.ts'],
    ['shared/src/http/host.ts', '../testing/manual-clock.ts'],
    ['shared/src/errors/index.ts', '../folder-without-a-place/index.ts'],
    ['tests/bench/keys/viewers.ts', '../../../sdk/player/src/fetch-plan.ts'],
    ['services/auth/src/index.ts', './serve.ts'],
    ['services/auth/src/routes/list-api-keys.ts', '../index.ts'],
    ['services/auth/src/api-key-store.ts', './routes/list-api-keys.ts'],
  ])('%s may not import %s', (file, specifier) => {
    expect(findWrongImports(file, from(specifier))).toHaveLength(1);
  });

  it.each([
    ['a type', `import type { X } ${'from'} '@latchkey/auth';`],
    ['many lines', `import {\n  a,\n  b,\n} ${'from'} '@latchkey/auth';`],
    ['an export', `export * ${'from'} "@latchkey/auth";`],
    ['the effect alone', `${'import'} '@latchkey/auth';`],
    ['a dynamic import', `const a = await ${'import'}('@latchkey/auth');`],
  ])('a wrong import is refused in the form of %s', (_form, source) => {
    expect(findWrongImports('services/leases/src/index.ts', source)).toHaveLength(1);
  });
});

describe('the environment', () => {
  const reading = `const port = ${'process'}.env.PORT;`;

  it.each(['gateway/src/gateway.ts', 'shared/src/config/read-config.ts', 'services/auth/src/config.ts'])(
    'the environment may not be read in %s',
    (file) => expect(findWrongImports(file, reading)).toHaveLength(1),
  );

  it.each([
    'gateway/src/main.ts',
    'gateway/src/single-node.ts',
    'services/auth/src/serve.ts',
    'tools/test.ts',
  ])('the environment may be read in %s', (file) => expect(findWrongImports(file, reading)).toEqual([]));

  it('process.env may be mentioned in a comment', () => {
    expect(findWrongImports('gateway/src/gateway.ts', `/** As in ${reading} */\n// ${reading}\n`)).toEqual(
      [],
    );
  });
});

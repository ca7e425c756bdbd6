import { availableParallelism } from 'node:os';
import LongFirstSequencer from '@latchkey/support/test-run/long-first-sequencer';
import { programFiles } from '@latchkey/support/test-run/programs';
import { defineConfig } from 'vitest/config';

const ignored = ['**/node_modules/**', '**/dist/**', '**/.cache/**'];
// Without a Postgres these tests would run against single nodes, and say nothing.
if (process.env.TEST_SEPARATE_SERVICES === 'true' && !process.env.TEST_POSTGRES_URL)
  throw new Error(
    'TEST_SEPARATE_SERVICES=true needs TEST_POSTGRES_URL. `npm test -- distributed` sets both.',
  );
const blackBox = 'tests/{api,browser}/**/*.test.ts';
const oracle = 'tests/oracle/*.test.ts';
/** A file needs no process of its own: no module keeps state, and what a test changes of the process is checked after each. */
const oneProcess = {
  isolate: false,
  setupFiles: ['tests/support/test-run/leave-no-trace.ts'],
  unstubEnvs: true,
  unstubGlobals: true,
};
/** Servers that files share. */
const sharing = {
  ...oneProcess,
  globalSetup: ['tests/support/black-box/serve-shared.ts'],
  // A test of many pages takes seconds, but much longer on a busy machine. A page that never appears fails earlier, after the
  // 30 s of a single wait.
  testTimeout: 180_000,
};

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'black-box',
          include: [blackBox],
          exclude: [...ignored, ...programFiles],
          ...sharing,
        },
      },
      { extends: true, test: { name: 'programs', include: programFiles, ...sharing } },
      { extends: true, test: { name: 'oracle', include: [oracle] } },
      {
        extends: true,
        test: {
          name: 'packages',
          include: ['**/*.test.ts'],
          exclude: [...ignored, ...programFiles, blackBox, oracle],
          globalSetup: ['shared/src/testing/migrated-template.setup.ts'],
          ...oneProcess,
        },
      },
    ],
    exclude: ignored,
    pool: 'forks',
    // Tests are imported by Node, as servers are. Vite would transform each file first.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Most files wait for servers, browsers and stores. With four on two cores a run took no less time than with three.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    sequence: { sequencer: LongFirstSequencer },
    // A test of the rules takes milliseconds; one that starts a server, encrypts a video or opens a browser takes seconds.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    // An expectation that never comes true still fails. Vitest's own second is short for a browser next to a dozen servers.
    expect: { poll: { timeout: 30_000 } },
    restoreMocks: true,
    provide: {
      // In a test, process.env.BASE_URL is Vite's own. This is the server that black-box tests are to use.
      baseUrl: process.env.BASE_URL ?? null,
      // Set by `npm test -- distributed`: a server with settings of a test's own is separate services on this Postgres.
      separateOn:
        process.env.TEST_SEPARATE_SERVICES === 'true' ? (process.env.TEST_POSTGRES_URL ?? null) : null,
      // Set by `npm test -- firefox`: the Firefox that opens the dashboard, in place of Chromium.
      firefoxPath: process.env.TEST_IN_FIREFOX === 'true' ? (process.env.FIREFOX_PATH ?? null) : null,
      // Set by `npm test -- custody`: where the master key of tests' own single nodes lives, as variables in JSON.
      custody: process.env.TEST_CUSTODY ?? null,
      // Set by `npm test -- compose`: it is containers of this tag, in Compose projects whose names start with this.
      containersOf: process.env.TEST_CONTAINERS ?? null,
      containersNamed: process.env.TEST_CONTAINERS_NAME ?? 'latchkey-test',
    },
  },
});

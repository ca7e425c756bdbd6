import { singleNodeCommand } from './single-node-command.mjs';

/**
 * The commands of package.json. `entry` is what Node runs. Some commands run another file in its place if their first argument is
 * one of `words`; that file gets the arguments behind the word. `withoutDashboard` is the reason why the dashboard need not be built first.
 */
export const commands = {
  start: { entry: singleNodeCommand },
  demo: { entry: ['examples/demo/main.ts'] },
  // Its load has a core of its own, on which further threads of its garbage collector would only stop it.
  bench: { entry: ['--single-threaded-gc', 'tests/bench/main.ts'] },
  docs: { entry: ['tools/docs.ts'], withoutDashboard: 'the documents need none' },
  test: {
    entry: ['tools/test.ts'],
    words: {
      distributed: {
        entry: 'tests/support/test-run/distributed.ts',
        about: 'the black-box tests against separate processes on Postgres, Redis and NATS',
      },
      compose: {
        entry: 'tests/programs/compose/main.ts',
        about: 'the images and compose.yaml, and the black-box tests against them; needs Docker',
        withoutDashboard: 'an image builds its own',
      },
      tls: {
        entry: 'tests/support/test-run/tls.ts',
        about: 'black-box tests against stores with TLS and credentials, poolers and clusters',
      },
      custody: {
        entry: 'tests/support/test-run/custody.ts',
        about: 'the black-box tests with the master key on a token, or at a stand-in for AWS KMS or Vault',
      },
      firefox: {
        entry: 'tests/support/test-run/firefox.ts',
        about: 'the tests of the dashboard in Firefox',
      },
      upgrade: {
        entry: 'tests/faults/upgrade/main.ts',
        about: 'the last tagged release and this code, side by side on one database',
      },
      faults: {
        entry: 'tests/faults/main.ts',
        about: 'breaks real servers, and counts what clients see',
      },
      screenshots: {
        entry: 'tests/browser/dashboard/screenshots/main.ts',
        about: 'takes the pictures of docs/operate/dashboard again',
      },
    },
  },
  check: {
    entry: ['tools/check.ts'],
    words: {
      'metrics-document': {
        entry: 'tools/metrics-document.ts',
        about: 'writes docs/reference/metrics.md from the list of metrics in the code',
      },
      'dashboard-types': {
        entry: 'tools/dashboard-types.ts',
        about: 'writes the types of the dashboard from the /openapi.json of the server',
        withoutDashboard: 'the types come before it',
      },
      sbom: {
        entry: 'tools/sbom.ts',
        about: 'prints a bill of materials of what is shipped',
        withoutDashboard: 'a list of packages needs none',
      },
    },
  },
};

/** The lines of `--help` for the words of a command. */
export function describeWords(name, command) {
  const lines = Object.entries(commands[name].words).map(
    ([word, { about }]) => `  ${command} -- ${word.padEnd(17)} ${about}`,
  );
  return lines.join('\n');
}

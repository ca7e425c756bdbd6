// `npm test`: every test, or the tests that the arguments name.
import { programs, selectTests, UnknownProgram } from '@latchkey/support/test-run/programs';
import { runTests } from '@latchkey/support/test-run/run-tests';
import { describeWords } from './commands.mjs';

const usage = `npm test: everything that is tested, in some ten minutes

Takes Postgres, Redis and NATS from TEST_POSTGRES_URL, TEST_REDIS_URL and TEST_NATS_URL, else from Docker, else from
programs on this machine, else installs those with apt-get (Debian, as root). It installs ffmpeg and Chromium in the same
way. It says each time what it installs and why. TEST_INSTALL=false installs nothing. What could not run is named at the end.

  npm test                     all but the oracle, the programs of others and the examples
  npm test -- services/auth    the files whose path contains this
  npm test -- -t NAME          the tests whose name contains this; any other option of vitest works too
  npm test -- programs         with programs of others and the examples, for some ten minutes: ${Object.keys(programs).join(', ')}
  npm test -- programs NAME    with this one. What it needs is installed
  npm test -- oracle           compares what clients and operators see with tests/oracle/recorded
  npm test -- oracle --record  records it anew: tests/oracle/README.md

With a word of these, it runs something else, with options of its own (\`npm test -- compose --help\`):

${describeWords('test', 'npm test')}

Ends with: N passed, N failed, N skipped. Exits 0 if nothing failed and something passed.
`;

const recording = '--record';
const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) process.stdout.write(usage);
else {
  try {
    const env = args.includes(recording) ? { ...process.env, ORACLE_RECORD: 'true' } : process.env;
    process.exitCode = await runTests(selectTests(args.filter((arg) => arg !== recording)), env);
  } catch (error) {
    if (!(error instanceof UnknownProgram)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  }
}

// `npm test`: every test, or those that the arguments name.
import { runTests } from '@latchkey/rig/test-run/run-tests';

const usage = `npm test: everything that is tested, in some ten minutes

Takes Postgres, Redis and NATS from TEST_POSTGRES_URL, TEST_REDIS_URL and TEST_NATS_URL, else from Docker, else from
programs on this machine, else installs those with apt-get (Debian, as root). It installs ffmpeg, Chromium, Firefox, VLC and
Swift in the same way. It says each time what it installs and why. TEST_INSTALL=false installs nothing.
What could not run is named at the end.

  npm test                     all
  npm test -- services/auth    the files whose path contains this
  npm test -- -t NAME          the tests whose name contains this; any other option of vitest works too
  npm test -- oracle           compares what clients and operators see with tests/oracle/recorded
  npm test -- oracle --record  records it anew: tests/oracle/README.md

Ends with: N passed, N failed, N skipped. Exits 0 if nothing failed and something passed.
`;

const recording = '--record';
const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) process.stdout.write(usage);
else {
  const env = args.includes(recording) ? { ...process.env, ORACLE_RECORD: 'true' } : process.env;
  process.exitCode = await runTests(
    args.filter((arg) => arg !== recording),
    env,
  );
}

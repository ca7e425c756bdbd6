// `npm test -- firefox`: the tests of the dashboard in Firefox.
import { selectTests } from './programs.ts';
import { runTests } from './run-tests.ts';

const usage = `npm test -- firefox: the tests of the dashboard's pages in Firefox

  npm test -- firefox          all of them
  npm test -- firefox FILE…    these files alone
  npm test -- firefox -t NAME  the tests whose name contains this; any other option of vitest works too

Takes the program at FIREFOX_PATH, else firefox-esr or firefox on this machine, else installs it with apt-get (Debian, as root).
Needs Firefox 153. Only Chromium runs axe, and shows its heap.

Ends with: N passed, N failed, N skipped. Exits 0 if nothing failed.
`;

const given = process.argv.slice(2);
if (given.includes('--help') || given.includes('-h')) process.stdout.write(usage);
else {
  const files = given.some((arg) => arg.includes('browser/')) ? [] : ['tests/browser/dashboard'];
  const { args } = selectTests([...files, ...given]);
  process.exitCode = await runTests(
    { args, tools: ['firefox'] },
    { ...process.env, TEST_IN_FIREFOX: 'true' },
  );
}

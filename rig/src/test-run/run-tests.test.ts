import { expect, it } from 'vitest';
import { conclude, mayRun } from './run-tests.ts';

it.each([
  ['all passed', { passed: 3, failed: 0, skipped: [] }, 0, '3 passed, 0 failed', true],
  ['some skipped', { passed: 3, failed: 0, skipped: ['a', 'b'] }, 0, '3 passed, 0 failed, 2 skipped', true],
  ['one failed', { passed: 3, failed: 1, skipped: [] }, 1, '3 passed, 1 failed', false],
  ['vitest itself failed', { passed: 3, failed: 0, skipped: [] }, 1, '3 passed, 1 failed', false],
  ['nothing ran', { passed: 0, failed: 0, skipped: [] }, 0, '0 passed, 0 failed', false],
  [
    'everything was skipped',
    { passed: 0, failed: 0, skipped: ['a'] },
    0,
    '0 passed, 0 failed, 1 skipped',
    false,
  ],
])('a run ends with the counts: %s', (_name, counts, code, last, ok) => {
  const conclusion = conclude(counts, code);
  expect(conclusion.lines.at(-1)).toBe(last);
  expect(conclusion.ok).toBe(ok);
});

it('skipped tests are named at the end of a run', () => {
  const { lines } = conclude({ passed: 1, failed: 0, skipped: ['shared/a.test.ts > plays'] }, 0);
  expect(lines).toContain('skipped: shared/a.test.ts > plays');
});

it.each([
  [[], true],
  [['acceptance/src/clients/'], true],
  [['acceptance/src/clients/vlc.test.ts'], true],
  [['-t', 'some test'], true],
  [['shared/src/authority'], false],
  [['acceptance/src/clients/mpv'], false],
])('a run with the arguments %j needs VLC: %s', (args, needed) => {
  expect(mayRun(args, 'acceptance/src/clients/vlc.test.ts')).toBe(needed);
});

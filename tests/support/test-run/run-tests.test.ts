import { expect, it } from 'vitest';
import { selectTests } from './programs.ts';
import { conclude } from './run-tests.ts';

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

it('without their words neither a test of a program of others nor the oracle runs, and nothing is installed for them', () => {
  const projects = ['--project=black-box', '--project=packages'];
  expect(selectTests(['services/auth'])).toEqual({ args: [...projects, 'services/auth'], tools: [] });
  expect(selectTests(['oracle'])).toEqual({ args: ['--project=oracle'], tools: [] });
});

it('the path of a test of a program runs it', () => {
  const path = 'tests/programs/systemd.test.ts';
  expect(selectTests([path])).toEqual({ args: [path], tools: [] });
});

it('a program by its name runs its tests, and is installed', () => {
  expect(selectTests(['programs', 'mpv'])).toEqual({
    args: ['--project=programs', 'tests/programs/clients/mpv.test.ts'],
    tools: ['mpv'],
  });
  expect(selectTests(['programs', 'nginx', 'caddy']).args).toEqual([
    ...['--project=programs', '-t', 'nginx|Caddy'],
    'tests/programs/proxies/',
  ]);
});

it('an unknown program is refused with the names of the programs that are tested', () => {
  expect(() => selectTests(['programs', 'wget'])).toThrow(/programs wget: accepted are nginx, /);
});

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { repositoryFolder } from '../repository.ts';
import { sumCounts } from './count-reporter.ts';

// Each test runs vitest itself, which takes a second, and more on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-counts-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the tests in a file of their own with vitest and gives what the reporter wrote. */
function runOf(source: string) {
  const file = join(folder, 'counts.json');
  writeFileSync(join(folder, 'a.test.js'), source);
  const reporter = `--reporter=${join(import.meta.dirname, 'count-reporter.ts')}`;
  const args = [
    join(repositoryFolder, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--globals',
    '--root',
    folder,
    reporter,
  ];
  spawnSync(process.execPath, args, { env: { ...process.env, TEST_COUNTS_FILE: file }, stdio: 'ignore' });
  return JSON.parse(readFileSync(file, 'utf8'));
}

it('the reporter counts passed and failed tests, and names skipped ones', () => {
  const source = `it('passes', () => {}); it('fails', () => { throw new Error(); });
    describe('there', () => { it.skip('is skipped', () => {}); it('skips itself', (t) => t.skip()); });`;
  expect(sumCounts(runOf(source))).toEqual({
    passed: 1,
    failed: 1,
    skipped: ['a.test.js > there > is skipped', 'a.test.js > there > skips itself'],
  });
});

it.each([
  ['a file that cannot be loaded', "throw new Error('at load');", 0],
  ['a hook that fails', "it('passes', () => {}); afterAll(() => { throw new Error('late'); });", 1],
  ['an error outside every test', "it('passes', () => { Promise.reject(new Error('unheard')); });", 1],
])('the reporter counts %s as a failure', (_name, source, passed) => {
  expect(sumCounts(runOf(source))).toEqual({ passed, failed: 1, skipped: [] });
});

it('the reporter counts each file separately', () => {
  const source = "it('passes', () => {}); it('fails', () => { throw new Error(); });";
  expect(runOf(source)).toEqual({
    files: [{ file: 'a.test.js', passed: 1, failed: 1, skipped: [] }],
    errors: 0,
  });
});

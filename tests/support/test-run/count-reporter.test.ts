import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { repositoryFolder } from '../repository.ts';
import { sumCounts } from './count-reporter.ts';

const files = {
  'a.test.js': `it('passes', () => {}); it('fails', () => { throw new Error(); });
    describe('there', () => { it.skip('is skipped', () => {}); it('skips itself', (t) => t.skip()); });`,
  'fails-at-load.test.js': "throw new Error('at load');",
  'fails-in-a-hook.test.js': "it('passes', () => {}); afterAll(() => { throw new Error('late'); });",
  'fails-outside.test.js': "it('passes', () => { Promise.reject(new Error('unheard')); });",
};

it('the reporter counts each file, names skipped tests, and counts a failed load, a failed hook and an error outside every test', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-counts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, source] of Object.entries(files)) writeFileSync(join(folder, name), source);
  const counted = join(folder, 'counts.json');
  const reporter = `--reporter=${join(import.meta.dirname, 'count-reporter.ts')}`;
  const vitest = join(repositoryFolder, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--globals', '--root', folder, reporter];
  spawnSync(process.execPath, args, { env: { ...process.env, TEST_COUNTS_FILE: counted }, stdio: 'ignore' });
  const run = JSON.parse(readFileSync(counted, 'utf8'));
  const skipped = ['a.test.js > there > is skipped', 'a.test.js > there > skips itself'];
  run.files.sort((one: { file: string }, other: { file: string }) => one.file.localeCompare(other.file));
  expect(run).toEqual({
    files: [
      { file: 'a.test.js', passed: 1, failed: 1, skipped },
      { file: 'fails-at-load.test.js', passed: 0, failed: 1, skipped: [] },
      { file: 'fails-in-a-hook.test.js', passed: 1, failed: 1, skipped: [] },
      { file: 'fails-outside.test.js', passed: 1, failed: 0, skipped: [] },
    ],
    errors: 1,
  });
  expect(sumCounts(run)).toEqual({ passed: 3, failed: 4, skipped });
}, 120_000);

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { unpackPreviousRelease } from './previous-release.ts';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-history-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('a folder without a history is reported, and the run does not fail', async () => {
  const folder = makeFolder();
  expect(await unpackPreviousRelease(join(folder, 'release'), folder)).toMatch(/no history/);
  expect(readdirSync(folder)).toEqual([]);
});

it('a clone that does not reach back to the release is reported, and the run does not fail', async () => {
  const folder = makeFolder();
  spawnSync('git', ['init', '--quiet', folder]);
  expect(await unpackPreviousRelease(join(folder, 'release'), folder)).toMatch(
    /does not reach back.*unshallow/,
  );
  expect(readdirSync(folder)).toEqual(['.git']);
});

import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { createManualClock } from '@latchkey/shared/testing';
import { describe, expect, it } from 'vitest';
import { encryptOptions } from '../testing/encrypt-files.ts';
import { temporaryFolder, writeFiles } from '../testing/temporary-folder.ts';
import { encryptPresentation } from './encrypt-presentation.ts';
import { siblingPath } from './output-folder.ts';

const segments = ['0.ts', '1.ts', '2.ts'];
const playlist = ['#EXTM3U', ...segments.flatMap((name) => ['#EXTINF:2,', name]), '#EXT-X-ENDLIST'].join(
  '\n',
);
const input = {
  'in/film.m3u8': playlist,
  ...Object.fromEntries(segments.map((name) => [`in/${name}`, name])),
};
const whole = ['00000.ts', '00001.ts', '00002.ts', 'film.m3u8'];

function prepare(more: Record<string, string> = {}) {
  const folder = writeFiles(temporaryFolder(), { ...input, ...more });
  return { folder, options: encryptOptions(folder, 'in/film.m3u8') };
}

describe('the output folder', () => {
  it('an output folder that exists and is empty is used', async () => {
    const { folder, options } = prepare();
    mkdirSync(join(folder, 'out'));
    await encryptPresentation(options);
    expect(readdirSync(join(folder, 'out')).sort()).toEqual(whole);
  });

  it('an output folder that is not empty is refused and left unchanged', async () => {
    const { folder, options } = prepare({ 'out/old': 'old' });
    await expect(encryptPresentation(options)).rejects.toThrow(/--out .* is not empty.*--force/);
    expect(readdirSync(folder).sort()).toEqual(['in', 'out']);
    expect(readdirSync(join(folder, 'out'))).toEqual(['old']);
  });

  it('--force replaces the whole output folder', async () => {
    const { folder, options } = prepare({ 'out/old': 'old' });
    await encryptPresentation({ ...options, force: true });
    expect(readdirSync(folder).sort()).toEqual(['in', 'out']);
    expect(readdirSync(join(folder, 'out')).sort()).toEqual(whole);
  });

  it('with --force the output folder keeps its old content until the new one is complete', async () => {
    const { folder, options } = prepare({ 'out/old': 'old' });
    const fileDone = () => {
      expect(readFileSync(join(folder, 'out/old'), 'utf8')).toBe('old');
      rmSync(join(folder, 'in/2.ts'), { force: true });
    };
    await expect(encryptPresentation({ ...options, force: true, report: { fileDone } })).rejects.toThrow(
      'ENOENT',
    );
    expect(readdirSync(folder).sort()).toEqual(['in', 'out']);
    expect(readdirSync(join(folder, 'out'))).toEqual(['old']);
  });

  it('an output folder that is a file is refused, and with --force also one that contains the source', async () => {
    const { folder, options } = prepare({ file: '' });
    const attempt = (outFolder: string) => encryptPresentation({ ...options, force: true, outFolder });
    await expect(attempt(join(folder, 'file'))).rejects.toThrow('is a file');
    await expect(attempt(join(folder, 'in'))).rejects.toThrow('holds the playlist');
    await expect(attempt(folder)).rejects.toThrow('holds the playlist');
    expect(readdirSync(join(folder, 'in'))).toHaveLength(4);
  });

  it('an output folder behind a symbolic link is found', async () => {
    const { folder, options } = prepare({ 'disk/elsewhere/old': 'old' });
    symlinkSync('disk/elsewhere', join(folder, 'out'));
    await encryptPresentation({ ...options, force: true });
    expect(readdirSync(join(folder, 'disk'))).toEqual(['elsewhere']);
    expect(readdirSync(join(folder, 'out')).sort()).toEqual(whole);
  });
});

describe('leftovers of a killed run next to the output folder', () => {
  /** Linux gives no process a number above 4194304 (PID_MAX_LIMIT). */
  const deadPid = 99_999_999;
  const leftover = (folder: string, kind: 'partial' | 'replaced', pid: number, machine?: string) => {
    const name = siblingPath(join(folder, 'out'), kind, Buffer.alloc(8, 3)).replace(
      `-${process.pid}-`,
      `-${pid}-`,
    );
    return machine ? name.replace(/-[0-9a-f]{8}-/, `-${machine}-`) : name;
  };

  it('the next run removes the folder of a killed run', async () => {
    const { folder, options } = prepare();
    writeFiles(leftover(folder, 'partial', deadPid), { 'v/00000.ts': 'half' });
    await encryptPresentation(options);
    expect(readdirSync(folder).sort()).toEqual(['in', 'out']);
  });

  it('a partial folder stays while its run is alive', async () => {
    const { folder, options } = prepare();
    mkdirSync(leftover(folder, 'partial', process.ppid));
    await encryptPresentation(options);
    expect(readdirSync(folder)).toHaveLength(3);
  });

  it('a partial folder of another machine stays for an hour after its last file', async () => {
    const { folder, options } = prepare();
    const path = leftover(folder, 'partial', 1, '00000000');
    const clock = createManualClock();
    writeFiles(path, { 'v/00000.ts': 'half' });
    for (const name of ['', 'v']) utimesSync(join(path, name), new Date(clock.now()), new Date(clock.now()));
    clock.advance(3_599_000);
    await encryptPresentation({ ...options, clock });
    expect(readdirSync(folder)).toHaveLength(3);
    clock.advance(1_000);
    await encryptPresentation({ ...options, clock, force: true });
    expect(readdirSync(folder).sort()).toEqual(['in', 'out']);
  });

  it('a replaced folder goes back to its place if the run died before the new one was there', async () => {
    const { folder, options } = prepare();
    writeFiles(leftover(folder, 'replaced', deadPid), { old: 'old' });
    await expect(encryptPresentation(options)).rejects.toThrow('is not empty');
    expect(readFileSync(join(folder, 'out/old'), 'utf8')).toBe('old');
  });

  it('folders with other names than the folders of runs stay', async () => {
    const names = [
      'out.partial',
      'out.partial-mine',
      'out2.partial-00000000-1-0000000000000000',
      'out.backup',
    ];
    const { folder, options } = prepare(Object.fromEntries(names.map((name) => [`${name}/x`, ''])));
    await encryptPresentation(options);
    expect(readdirSync(folder).sort()).toEqual(['in', 'out', ...names].sort());
  });
});

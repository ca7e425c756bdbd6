import { createDecipheriv, hash, randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { type MediaFileJob, writeMediaFile } from './media-file.ts';
import { writeMediaFiles } from './media-threads.ts';

const mib = 1024 * 1024;
const key = Buffer.alloc(16, 7);

/** Files of that many bytes each, with a few random bytes at their beginning and end, and zeros between. */
function makeJobs(count: number, bytes: number): { folder: string; jobs: MediaFileJob[] } {
  const folder = temporaryFolder();
  const jobs = Array.from({ length: count }, (_, n) => {
    const path = join(folder, `${n}.ts`);
    const file = openSync(path, 'w');
    writeSync(file, randomBytes(100), 0, 100, 0);
    writeSync(file, randomBytes(100), 0, 100, bytes - 100);
    closeSync(file);
    const encryption = n === 0 ? undefined : { key, iv: randomBytes(16) };
    const source = { path, offset: 0, length: bytes };
    return { source, target: join(folder, `${n}.out`), isHashed: false, encryption };
  });
  return { folder, jobs };
}

function readBack({ target, encryption }: MediaFileJob): Buffer {
  const written = readFileSync(target);
  if (!encryption) return written;
  const decipher = createDecipheriv('aes-128-cbc', encryption.key, encryption.iv);
  return Buffer.concat([decipher.update(written), decipher.final()]);
}
const ignore = { fileDone: () => {}, signal: undefined };

test('a large presentation is written by several threads, each file as one thread alone writes it', async () => {
  const { folder, jobs } = makeJobs(6, 11 * mib + 5);
  const done: number[] = [];
  const written = await writeMediaFiles(jobs, { ...ignore, fileDone: (length) => void done.push(length) });
  expect(done).toEqual(jobs.map(({ source }) => source.length));
  expect(written).toEqual(
    jobs.map(({ target, encryption }) => ({ path: target, bytes: 11 * mib + (encryption ? 16 : 5) })),
  );
  for (const job of jobs) expect(readBack(job).equals(readFileSync(job.source.path))).toBe(true);
  const [, second] = jobs;
  const alone = { ...(second as MediaFileJob), target: join(folder, 'alone') };
  writeMediaFile(alone);
  expect(readFileSync(alone.target).equals(readFileSync(second?.target ?? ''))).toBe(true);
});

test('the name of a file that one of several threads writes has eight hex digits of the SHA-256 of its bytes', async () => {
  const { folder, jobs } = makeJobs(6, 11 * mib);
  const written = await writeMediaFiles(
    jobs.map((job) => ({ ...job, isHashed: true })),
    ignore,
  );
  const names = written.map(({ path }, n) => {
    const digits = hash('sha256', readFileSync(path)).slice(0, 8);
    expect(path).toBe(join(folder, `${n}.${digits}.out`));
    return path;
  });
  expect(readdirSync(folder).filter((name) => name.endsWith('.out'))).toHaveLength(names.length);
});

test('an error of one thread names its file, ends the others, and nothing is written after it', async () => {
  const { folder, jobs } = makeJobs(6, 11 * mib);
  const [first] = jobs;
  truncateSync(first?.source.path ?? '', mib);
  await expect(writeMediaFiles(jobs, ignore)).rejects.toThrow(
    `${first?.source.path} changed while it was being read`,
  );
  const after = readdirSync(folder).sort();
  await new Promise((resolve) => setImmediate(resolve));
  expect(readdirSync(folder).sort()).toEqual(after);

  const missing = { ...(jobs[1] as MediaFileJob), target: join(folder, 'no', 'folder') };
  const failing = writeMediaFiles(
    [...jobs.slice(2).map((job) => ({ ...job, target: `${job.target}2` })), missing],
    ignore,
  );
  await expect(failing).rejects.toMatchObject({ code: 'ENOENT', path: missing.target });
});

test('a signal ends every thread within its file', async () => {
  const { jobs } = makeJobs(6, 11 * mib);
  const interrupted = new AbortController();
  const fileDone = () => interrupted.abort(new Error('interrupted'));
  await expect(writeMediaFiles(jobs, { fileDone, signal: interrupted.signal })).rejects.toThrow(
    'interrupted',
  );
  expect(existsSync(jobs.at(-1)?.target ?? '')).toBe(false);
});

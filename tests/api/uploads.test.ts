import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { eventually } from '@latchkey/support/black-box/eventually';
import { readLines } from '@latchkey/support/black-box/request-lines';
import { createApiKey, registerContent } from '@latchkey/support/black-box/server-actions';
import { makeFolder } from '@latchkey/support/black-box/server-process';
import { startSingleNode } from '@latchkey/support/black-box/target';
import { openUploadGate } from '@latchkey/support/black-box/upload-gate';
import { uploadSettings } from '@latchkey/support/black-box/upload-settings';
import { hashOfFile, mixedSizes, readObject, writeSource } from '@latchkey/support/black-box/upload-source';
import { startS3Server } from '@latchkey/support/stores/s3-server';
import { openFolder, upload } from '@latchkey/uploader/node';
import { afterAll, describe, expect, it } from 'vitest';
import type { UploadJob, UploadLine } from './upload-folder.ts';

// The uploader in Node against a store that checks every signature as S3 does.
let aheadMs = 0;
const store = await startS3Server({ now: () => Date.now() + aheadMs });
const gate = await openUploadGate(store.endpoint, ({ status }) => {
  // The next URL is valid again.
  if (status === 403) aheadMs = 0;
});
// Its own, because its store is of this file.
const server = await startSingleNode(uploadSettings({ ...store, endpoint: gate.endpoint }));
const apiKey = (await createApiKey(server, 'upload')).raw;
const folder = makeFolder();
afterAll(async () => {
  gate.close();
  await store.close();
  folder.remove();
});

/** How many URLs an API key got. */
const presignedFor = (id: string) =>
  readLines(server.process).filter(
    ({ path, status, principal }) => path === '/presign' && status === 200 && principal?.id === id,
  ).length;
const objectUrl = (contentId: string, path: string) =>
  `${store.endpoint}/${store.bucket}/content/${contentId}/${path}`;
/** Paths that the store has acknowledged since the n-th answer, in order. */
const acknowledged = (contentId: string, since = 0) =>
  gate.answers
    .slice(since)
    .filter(({ method, status }) => method === 'PUT' && status === 200)
    .map(({ path }) => path.split(`/content/${contentId}/`)[1] ?? '');

/** Uploads in a process of its own. @param killAt the share of all bytes at which it is killed */
async function uploadFolder(job: UploadJob, credential: string, killAt = 2) {
  const entry = fileURLToPath(new URL('upload-folder.ts', import.meta.url));
  const child = spawn(process.execPath, [entry, JSON.stringify(job)], {
    env: { PATH: process.env.PATH, LATCHKEY_API_KEY: credential },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const loaded: number[] = [];
  let result: Extract<UploadLine, { complete: boolean }> | undefined;
  for await (const text of createInterface({ input: child.stdout })) {
    const line: UploadLine = JSON.parse(text);
    if ('complete' in line) result = line;
    else {
      loaded.push(line.loadedBytes);
      if (line.loadedBytes / line.totalBytes >= killAt) child.kill('SIGKILL');
    }
  }
  await closed;
  return { loaded, result, signal: child.signalCode };
}

describe('200 files of 1 KiB to 64 MiB', async () => {
  const source = join(folder.path, 'source');
  const sizes = mixedSizes(198);
  const paths = await writeSource(source, sizes);
  const contentId = await registerContent(server);
  const job = { folder: source, memory: join(folder.path, 'memory'), contentId, keyServerUrl: server.url };

  it('an upload that is killed half-way and repeated arrives byte for byte, and sends no acknowledged file again', async () => {
    expect([paths.length, Math.min(...sizes), Math.max(...sizes)]).toEqual([200, 1024, 64 * 1024 ** 2]);
    const first = await uploadFolder(job, apiKey, 0.5);
    expect([first.signal, first.result]).toEqual(['SIGKILL', undefined]);
    const remembered = readFileSync(job.memory, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).place.split(`/${contentId}/`)[1]);
    const arrived = acknowledged(contentId);
    expect(remembered.length).toBeGreaterThan(20);
    // Four are under way at a time. The store may have acknowledged some that the process had no time to record.
    expect(arrived.length - remembered.length).toBeLessThanOrEqual(4);
    expect(arrived).toEqual(expect.arrayContaining(remembered));
    expect(arrived.some((path) => path.endsWith('.m3u8'))).toBe(false);

    const seen = gate.answers.length;
    const again = await createApiKey(server, 'upload');
    const second = await uploadFolder(job, again.raw);
    const sent = acknowledged(contentId, seen);
    expect(second.result).toMatchObject({ complete: true });
    const left = paths.filter((path) => !remembered.includes(path));
    // A file that was under way at the kill may be acknowledged twice.
    expect([...new Set(sent)].sort()).toEqual(left);
    expect(
      Object.entries(second.result?.statuses ?? {}).filter(([, status]) => status === 'skipped'),
    ).toHaveLength(remembered.length);
    expect(sent.slice(-2)).toEqual(['video/index.m3u8', 'master.m3u8']);
    // A token for each URL, and a URL for each file.
    expect(second.result?.tokens).toBe(left.length);
    await eventually(() => expect(presignedFor(again.id)).toBe(left.length));

    for (const { loaded } of [first, second]) expect(loaded).toEqual(loaded.toSorted((a, b) => a - b));
    const total = (await openFolder(source)).reduce((sum, { size = 0 }) => sum + size, 0);
    expect(second.loaded.at(-1)).toBe(total);
    // Four files of up to 64 MiB are under way at a time, and no file is in memory as a whole.
    expect(second.result?.peakMiB).toBeLessThan(200);

    for (const path of paths) {
      const { hash, type } = await readObject(objectUrl(contentId, path));
      expect({ path, hash }).toEqual({ path, hash: await hashOfFile(join(source, path)) });
      const expected = { ts: 'video/mp2t', m4s: 'video/mp4', m3u8: 'application/vnd.apple.mpegurl' };
      expect(type).toBe(expected[path.split('.').at(-1) as keyof typeof expected]);
    }
  });
});

const files = [{ path: 'a.ts', data: Buffer.from('a segment') }];
const options = { auth: () => apiKey, keyServerUrl: server.url };

it.skipIf(process.env.TEST_S3_ENDPOINT)(
  'the uploader replaces a URL that expired before its use',
  async () => {
    const contentId = await registerContent(server);
    const seen = gate.answers.length;
    aheadMs = 301_000;
    const result = await upload(files, { ...options, contentId });
    expect(result.files[0]).toMatchObject({ status: 'uploaded', attempts: 2 });
    expect(gate.answers.slice(seen).map(({ status }) => status)).toEqual([403, 200]);
    expect((await readObject(objectUrl(contentId, 'a.ts'))).type).toBe('video/mp2t');
  },
);

it('an upload to an unknown content, or with a key that may not upload, fails with the code of the server and without a PUT', async () => {
  const seen = gate.answers.length;
  const unknown = await upload(files, { ...options, contentId: 'not-there' });
  expect(unknown.files[0]?.error).toMatchObject({
    code: 'PRESIGN_REFUSED',
    status: 404,
    serverCode: 'CONTENT_NOT_FOUND',
  });
  const { raw } = await createApiKey(server, 'playback');
  const refused = await upload(files, { ...options, contentId: 'not-there', auth: () => raw });
  expect(refused.files[0]?.error).toMatchObject({ status: 403, serverCode: 'INSUFFICIENT_SCOPE' });
  expect(gate.answers.length).toBe(seen);
});

it('a file that is overwritten during its upload fails, and the store acknowledges no mixture of both versions', async () => {
  const contentId = await registerContent(server);
  const source = join(folder.path, 'changing');
  mkdirSync(source);
  const path = join(source, 'a.ts');
  const bytes = 32 * 1024 ** 2;
  writeFileSync(path, Buffer.alloc(bytes, 'before'));
  let isOverwritten = false;
  const result = await upload(await openFolder(source), {
    ...options,
    contentId,
    onProgress({ loadedBytes }) {
      if (isOverwritten || loadedBytes < 1024 ** 2) return;
      isOverwritten = true;
      writeFileSync(path, Buffer.alloc(bytes, 'after!'), { flag: 'r+' });
    },
  });
  expect(isOverwritten).toBe(true);
  expect(result).toMatchObject({
    complete: false,
    files: [{ status: 'failed', error: { code: 'READ_FAILED' } }],
  });
  expect(gate.answers.filter(({ path, status }) => status === 200 && path.includes(contentId))).toEqual([]);
  // The new version can be uploaded.
  expect((await upload(await openFolder(source), { ...options, contentId })).complete).toBe(true);
  const { hash } = await readObject(objectUrl(contentId, 'a.ts'));
  expect(hash).toBe(await hashOfFile(path));
});

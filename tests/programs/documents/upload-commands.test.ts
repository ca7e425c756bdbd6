import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '@latchkey/support/black-box/own-process';
import { registerContent } from '@latchkey/support/black-box/server-actions';
import { startSingleNode } from '@latchkey/support/black-box/target';
import { uploadSettings } from '@latchkey/support/black-box/upload-settings';
import { findBlock, readBlocks, readDocument } from '@latchkey/support/documents/read-blocks';
import { runBlock } from '@latchkey/support/documents/run-block';
import { startS3Server } from '@latchkey/support/stores/s3-server';
import { afterAll, expect, it } from 'vitest';

const block = findBlock(readBlocks(readDocument('docs/start/uploads.md')), 'sh', '/presign');
const requesting = block.slice(0, block.indexOf('# {'));
const uploading = block.slice(block.indexOf('curl -T'));
/** The answer that the document shows, in its comment. */
const shown: Record<string, unknown> = JSON.parse(
  block.slice(requesting.length, -uploading.length).replace(/^# ?/gm, ''),
);

const store = await startS3Server();
afterAll(() => store.close());
const server = await startSingleNode(uploadSettings(store));

it('the two commands of docs/start/uploads.md upload a segment, and the answer between them is the one that comes', async () => {
  await registerContent(server, 'film');
  const cwd = makeTestFolder();
  const length = Number(/"contentLength":(\d+)/.exec(requesting)?.[1]);
  const segment = randomBytes(length);
  writeFileSync(join(cwd, '0001.ts'), segment);

  const env = { PATH: process.env.PATH, KEY: server.adminApiKey };
  const answer = JSON.parse(
    await runBlock(
      `${requesting}\n`.replace('http://localhost:4100', server.url).replace('curl', 'curl --silent'),
      {
        cwd,
        env,
      },
    ),
  );
  expect(Object.keys(answer)).toEqual(expect.arrayContaining(Object.keys(shown)));
  expect(answer).toMatchObject({ method: shown.method, headers: shown.headers });
  const path = new URL(answer.url).pathname;
  expect(path).toBe(`/${store.bucket}${new URL(String(shown.url)).pathname}`);

  await runBlock(uploading.replace('curl', 'curl --silent --fail'), {
    cwd,
    env: { ...env, URL: answer.url },
  });
  const stored = await fetch(store.endpoint + path);
  expect(Buffer.from(await stored.arrayBuffer()).equals(segment)).toBe(true);
});

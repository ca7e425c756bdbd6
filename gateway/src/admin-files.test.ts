import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '@latchkey/shared/http';
import { createMetrics } from '@latchkey/shared/metrics';
import { expect, it, onTestFinished } from 'vitest';
import { addAdminFiles } from './admin-files.ts';

async function startHost(folder: string, publicUrl: string | null = null) {
  const app = createHost({
    randomId: () => 'id',
    clientIpOf: () => '127.0.0.1',
    requestLog: null,
    operatorLog: { info: () => {}, warn: () => {}, error: () => {} },
    metrics: createMetrics(),
  });
  await addAdminFiles(app, publicUrl, folder);
  onTestFinished(() => app.close());
  return app;
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-dashboard-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('a server whose dashboard is not built answers 404 and names the command that builds it', async () => {
  const app = await startHost(makeFolder());
  for (const url of ['/admin', '/admin/', '/admin/api-keys', '/admin/assets/x.js']) {
    const { statusCode, json } = await app.inject({ url });
    expect([statusCode, json().code]).toEqual([404, 'NOT_FOUND']);
    expect(json().detail).toContain('npm start');
  }
});

it.each(['bytes=0-1', 'bytes=,,,', 'bytes=9-1', 'bytes=0-1,2-3'])(
  'the whole page is sent for the range %s',
  async (range) => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'index.html'), 'page');
    const app = await startHost(folder);
    const { statusCode, body } = await app.inject({ url: '/admin', headers: { range } });
    expect([statusCode, body]).toEqual([200, 'page']);
  },
);

it.each([
  ['https://keys.example/latchkey', '/latchkey/admin'],
  ['https://keys.example', '/admin'],
  ['https://keys.example/a&b/$&', '/a&amp;b/$&amp;/admin'],
])('with PUBLIC_URL %s, the page names its files below %s', async (publicUrl, path) => {
  const folder = makeFolder();
  writeFileSync(join(folder, 'index.html'), '<script src="./assets/a.js"><link href="./assets/b.css">');
  const app = await startHost(folder, publicUrl);
  const { body, headers } = await app.inject({ url: '/admin/content/film' });
  expect(body).toBe(`<script src="${path}/assets/a.js"><link href="${path}/assets/b.css">`);
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
});

it('a page that a proxy has compressed is not sent again', async () => {
  const folder = makeFolder();
  writeFileSync(join(folder, 'index.html'), 'page');
  const app = await startHost(folder);
  const { headers } = await app.inject({ url: '/admin' });
  for (const tags of [`W/${headers.etag}`, `"other", ${headers.etag}`]) {
    const { statusCode, body } = await app.inject({ url: '/admin', headers: { 'if-none-match': tags } });
    expect([statusCode, body]).toEqual([304, '']);
  }
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '@latchkey/shared/http';
import { createMetrics } from '@latchkey/shared/metrics';
import { expect, it, onTestFinished } from 'vitest';
import { addAdminFiles } from './admin-files.ts';

async function startHost(folder: string) {
  const app = createHost({
    randomId: () => 'id',
    clientIpOf: () => '127.0.0.1',
    requestLog: null,
    operatorLog: { info: () => {}, warn: () => {}, error: () => {} },
    metrics: createMetrics(),
  });
  await addAdminFiles(app, folder);
  onTestFinished(() => app.close());
  return app;
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-dashboard-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('a server whose dashboard is not built answers 404 and says what builds it', async () => {
  const app = await startHost(makeFolder());
  for (const url of ['/admin', '/admin/', '/admin/api-keys', '/admin/assets/x.js']) {
    const { statusCode, json } = await app.inject({ url });
    expect([statusCode, json().code]).toEqual([404, 'NOT_FOUND']);
    expect(json().detail).toContain('npm start');
  }
});

it('every address of the dashboard returns its page, assets are cached for a year, and other files return 404', async () => {
  const folder = makeFolder();
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), 'page');
  writeFileSync(join(folder, 'built-from'), 'fingerprint');
  writeFileSync(join(folder, 'assets', 'a-1.js'), 'script');
  writeFileSync(join(folder, 'assets', 'a-1.js.br'), 'smaller');
  const app = await startHost(folder);
  const get = async (url: string, headers = {}) => {
    const { statusCode, body, headers: answered } = await app.inject({ url, headers });
    return [statusCode, statusCode === 200 ? body : null, answered['cache-control']];
  };
  for (const url of ['/admin', '/admin/', '/admin/api-keys', '/admin/content/a-b_c', '/admin/built-from'])
    expect([url, ...(await get(url))]).toEqual([url, 200, 'page', 'no-cache']);
  const forever = 'public, max-age=31536000, immutable';
  expect(await get('/admin/assets/a-1.js')).toEqual([200, 'script', forever]);
  expect(await get('/admin/assets/a-1.js', { 'accept-encoding': 'br' })).toEqual([200, 'smaller', forever]);
  for (const url of [
    '/admin/index.html',
    '/admin/assets/',
    '/admin/assets/b.js',
    '/admin/assets/..%2fbuilt-from',
  ])
    expect([url, (await get(url))[0]]).toEqual([url, 404]);
});

it('no address of the dashboard accepts another method than GET and HEAD', async () => {
  const app = await startHost(makeFolder());
  for (const url of ['/admin', '/admin/', '/admin/api-keys']) {
    const { statusCode, headers } = await app.inject({ method: 'POST', url });
    expect([url, statusCode, headers.allow]).toEqual([url, 405, 'GET, HEAD']);
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

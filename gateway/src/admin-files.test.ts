import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

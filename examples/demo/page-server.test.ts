import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { DemoApi } from './demo-api.ts';
import { startPageServer } from './page-server.ts';

const api: DemoApi = {
  describe: () => ({ seconds: 60 }),
  issueToken: async (id) => (id === 'ts' ? { token: 'abc' } : undefined),
  revokeLease: async (leaseId) => ({ status: 200, body: JSON.stringify({ leaseId }) }),
};

/** A page server that is open, with `master.m3u8` and, beside the folder of the videos, a file that it must not serve. */
async function openServer() {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-demo-'));
  const server = await startPageServer(0);
  onTestFinished(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  writeFileSync(join(folder, 'secret.ts'), 'secret');
  const videoFolder = mkdtempSync(join(folder, 'videos-'));
  writeFileSync(join(videoFolder, 'master.m3u8'), '#EXTM3U\n');
  return { server, site: { api, serverUrl: 'http://127.0.0.1:4181', videoFolder } };
}

/** The status of a path that is sent as it is, without the changes of a URL parser. */
function statusOf(origin: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    const sent = request({ hostname, port, path }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end();
  });
}

it('the page server answers 503 until everything is prepared', async () => {
  const { server } = await openServer();
  expect((await fetch(server.origin)).status).toBe(503);
});

it('the page, the player and the video are served, and the policy lets the page connect only to the key server', async () => {
  const { server, site } = await openServer();
  server.open(site);
  for (const path of ['/', '/main.js', '/style.css', '/hls.mjs', '/video/master.m3u8', '/demo/config']) {
    expect([path, (await fetch(server.origin + path)).status]).toEqual([path, 200]);
  }
  const policy = (await fetch(server.origin)).headers.get('content-security-policy');
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("connect-src 'self' http://127.0.0.1:4181;");
});

it.each([
  '/video/../secret.ts',
  '/video/%2e%2e/secret.ts',
  '/video/..%2fsecret.ts',
  '/../src/main.ts',
  '/%2e%2e/src/main.ts',
  '/%ff',
  '/video/',
])('the page server answers %s with 404', async (path) => {
  const { server, site } = await openServer();
  server.open(site);
  expect(await statusOf(server.origin, path)).toBe(404);
});

it('the page can get a token and revoke a lease, and a page of another origin cannot', async () => {
  const { server, site } = await openServer();
  server.open(site);
  const act = async (path: string, body: object, origin: string) => {
    const sent = { method: 'POST', headers: { origin }, body: JSON.stringify(body) };
    const response = await fetch(server.origin + path, sent);
    return [response.status, await response.text()];
  };
  expect(await act('/demo/token', { presentation: 'ts' }, server.origin)).toEqual([200, '{"token":"abc"}']);
  expect((await act('/demo/token', { presentation: 'other' }, server.origin))[0]).toBe(404);
  expect(await act('/demo/revoke', { leaseId: '1' }, server.origin)).toEqual([200, '{"leaseId":"1"}']);
  expect((await act('/demo/token', { presentation: 'ts' }, 'http://localhost:3000'))[0]).toBe(403);
  expect((await act('/demo/revoke', { leaseId: '1' }, 'null'))[0]).toBe(403);
});

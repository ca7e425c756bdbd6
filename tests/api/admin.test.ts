import { gunzipSync } from 'node:zlib';
import { openTarget } from '@latchkey/support/black-box/target';
import { request } from 'undici';
import { expect, it } from 'vitest';
import { ensureDashboard } from '../../tools/ensure-dashboard.mjs';

ensureDashboard();
const { client, url } = await openTarget();

/** The most that the scripts of the first page may have together, compressed with gzip. */
const maxScriptBytes = 250 * 1024;

/** The build does not compress smaller files. */
const minCompressedBytes = 1_024;

/** The paths of this server that a page names. */
async function namesIn(page: string): Promise<string[]> {
  const text = (await client.get(page)).bytes.toString();
  return [...text.matchAll(/(?:src|href)="([^"#]+)"/g)].map(
    (match) => new URL(match[1] ?? '', 'http://x/admin/').pathname,
  );
}

/** Fetches as a browser does. The client of these tests accepts no compressed answers, because the API sends none. */
async function fetchCompressed(name: string, encodings: string) {
  const { headers, body } = await request(`${url}${name}`, { headers: { 'accept-encoding': encodings } });
  return { headers, bytes: Buffer.from(await body.arrayBuffer()) };
}

it('GET /admin is a page without authentication, whose policy allows no inline script and no frame', async () => {
  for (const path of ['/admin', '/admin/', '/admin/api-keys', '/admin/content/some-id']) {
    const answer = await client.get(path);
    expect([path, answer.status, answer.type]).toEqual([path, 200, 'text/html']);
    const policy = answer.headers['content-security-policy'] ?? '';
    const directives = new Map(
      policy.split(';').map((directive) => {
        const [name = '', ...sources] = directive.trim().split(/\s+/);
        return [name, sources.join(' ')];
      }),
    );
    expect(directives.get('default-src')).toBe("'none'");
    expect(directives.get('script-src')).toBe("'self'");
    expect(directives.get('style-src')).toBe("'self'");
    expect(directives.get('frame-ancestors')).toBe("'none'");
    expect(directives.get('connect-src')).toBe("'self'");
    expect(policy).not.toMatch(/unsafe|\*|http:/);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.headers['cache-control']).toBe('no-cache');
    const text = answer.bytes.toString();
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=|javascript:/i);
  }
});

it('the files that the page names are served with their types and may be cached for a year', async () => {
  const names = await namesIn('/admin');
  expect(names.length).toBeGreaterThan(2);
  for (const name of names) {
    const { status, headers, type } = await client.get(name);
    expect([name, status]).toEqual([name, 200]);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(type).toMatch(name.endsWith('.js') ? /javascript$/ : name.endsWith('.css') ? /css$/ : /svg\+xml$/);
  }
});

it('scripts and styles are sent compressed, as the build made them, to clients that accept it', async () => {
  const names = (await namesIn('/admin')).filter((name) => /\.(js|css)$/.test(name));
  let scriptBytes = 0;
  for (const name of names) {
    const plain = await client.get(name);
    expect(plain.headers['content-encoding']).toBeUndefined();
    if (plain.bytes.length < minCompressedBytes) continue;
    const zipped = await fetchCompressed(name, 'gzip');
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(zipped.headers['content-type']).toBe(plain.headers['content-type']);
    expect(zipped.headers.vary).toMatch(/accept-encoding/i);
    expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true);
    const best = await fetchCompressed(name, 'gzip, deflate, br');
    expect(best.headers['content-encoding']).toBe('br');
    expect(best.bytes.length).toBeLessThan(zipped.bytes.length);
    if (name.endsWith('.js')) scriptBytes += zipped.bytes.length;
  }
  expect(scriptBytes).toBeGreaterThan(0);
  expect(scriptBytes).toBeLessThan(maxScriptBytes);
});

it('the dashboard answers HEAD, and does not send a page again that has not changed', async () => {
  const first = await client.get('/admin');
  expect((await client.call('HEAD', '/admin')).status).toBe(200);
  const again = await client.get('/admin', undefined, { 'if-none-match': first.headers.etag ?? '' });
  expect([again.status, again.bytes.length]).toEqual([304, 0]);
});

it.each([
  '/admin/../single-node.ts',
  '/admin/%2e%2e/single-node.ts',
  '/admin/..%2fsingle-node.ts',
  '/admin/nothing.js',
  '/admin/.env',
  '/admin/built-from',
  '/admin/assets/',
  '/admin/assets/nothing.js',
  '/admin/assets/../index.html.gz',
  '/admin/assets/..%2findex.html',
  '/admin/assets/%2e%2e%2f%2e%2e%2fpackage.json',
])('GET %s serves no file', async (path) => {
  const { status, bytes } = await client.get(path);
  // A path without a dot is an address of the dashboard, which itself shows that the page does not exist.
  if (path === '/admin/built-from') return expect(bytes.toString()).toContain('<div id="root">');
  expect([400, 403, 404]).toContain(status);
  expect(bytes.toString()).not.toMatch(/import |<div id="root">|"name"/);
});

it('no source map of the dashboard is served', async () => {
  for (const name of (await namesIn('/admin')).filter((path) => /\.(js|css)$/.test(path))) {
    expect((await client.get(`${name}.map`)).status).toBe(404);
    expect((await client.get(name)).bytes.toString()).not.toContain('sourceMappingURL');
  }
});

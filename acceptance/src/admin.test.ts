import { expect, it } from 'vitest';
import { openTarget } from './target.ts';

const { client } = await openTarget();

it('GET /admin is a page without authentication, whose policy allows no inline script and no frame', async () => {
  for (const path of ['/admin', '/admin/']) {
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
    expect(directives.get('frame-ancestors')).toBe("'none'");
    expect(directives.get('connect-src')).toBe("'self'");
    expect(policy).not.toMatch(/unsafe|\*|http:/);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.bytes.toString()).not.toMatch(/<script(?![^>]*\ssrc=)|\son[a-z]+=|javascript:/i);
  }
});

it('what the page names is served, with its type', async () => {
  const page = (await client.get('/admin')).bytes.toString();
  const names = [...page.matchAll(/(?:src|href)="([^"#]+)"/g)].map(
    (match) => new URL(match[1] ?? '', 'http://x/admin/').pathname,
  );
  expect(names.length).toBeGreaterThan(0);
  for (const name of names.filter((path) => path.startsWith('/admin'))) {
    expect([name, (await client.get(name)).status]).toEqual([name, 200]);
  }
});

it.each([
  '/admin/../single-node.ts',
  '/admin/%2e%2e/single-node.ts',
  '/admin/..%2fsingle-node.ts',
  '/admin/nothing.js',
  '/admin/.env',
])('GET %s shows nothing', async (path) => {
  const { status, bytes } = await client.get(path);
  expect([400, 403, 404]).toContain(status);
  expect(bytes.toString()).not.toContain('import ');
});

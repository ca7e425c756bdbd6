import { serveBelowPath } from '@latchkey/support/black-box/serve-below-path';
import { openShared } from '@latchkey/support/black-box/target';
import { expect, it } from 'vitest';
import { ensureDashboard } from '../../tools/ensure-dashboard.mjs';

ensureDashboard();
const target = await openShared('base-path');
const base = await serveBelowPath('/base', target.url);

const get = (path: string) => fetch(new URL(path, base), { redirect: 'manual' });

it('below the path of PUBLIC_URL, the address of the server leads to the dashboard', async () => {
  const { status, headers } = await get('/base/');
  expect([status, headers.get('location')]).toEqual([302, '/base/admin']);
  const page = await get('/base/admin');
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
});

it.each(['/base/admin', '/base/admin/', '/base/admin/content/film', '/base/admin/a/b/c'])(
  'below the path of PUBLIC_URL, the page at %s names files that are found',
  async (path) => {
    const page = await (await get(path)).text();
    const names = [...page.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, name]) => name ?? '');
    expect(names.length).toBeGreaterThan(2);
    for (const name of names) {
      const { pathname } = new URL(name, new URL(path, base));
      expect(pathname).toMatch(/^\/base\/admin\/assets\//);
      expect([pathname, (await get(pathname)).status]).toEqual([pathname, 200]);
    }
  },
);

it('the description of the API names the server below the path of PUBLIC_URL', async () => {
  const { servers } = (await (await get('/base/openapi.json')).json()) as { servers: unknown };
  expect(servers).toEqual([{ url: 'https://keys.example/base' }]);
});

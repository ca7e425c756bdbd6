import { expect, it } from 'vitest';
import { createLocator } from './locate-remote.ts';

const place = { playlist: 'a.m3u8', line: 3 };

it('a reference may lead to another server, and its fragment is not part of it', async () => {
  const locate = createLocator('http://203.0.113.1/film/a.m3u8');
  expect(await locate('b.ts?t=1#x', 'http://203.0.113.1/film/a.m3u8', place)).toBe(
    'http://203.0.113.1/film/b.ts?t=1',
  );
  expect(await locate('//198.51.100.1/b.ts', 'http://203.0.113.1/a.m3u8', place)).toBe(
    'http://198.51.100.1/b.ts',
  );
});

it.each(['http://127.0.0.1/canary', 'http://[::1]/', 'http://169.254.169.254/latest', '//10.0.0.1/a.ts'])(
  'a server outside cannot lead to %s',
  async (uri) => {
    const root = 'http://203.0.113.1/a.m3u8';
    await expect(createLocator(root)(uri, root, place)).rejects.toThrow(/^a\.m3u8:3: .*in a private network/);
  },
);

it.each(['file:///etc/hosts', 'data:,x', 'ftp://203.0.113.1/a', 'cam-1:49.ts', 'http://'])(
  'a reference %s that is no http URL is refused',
  async (uri) => {
    const root = 'http://203.0.113.1/a.m3u8';
    await expect(createLocator(root)(uri, root, place)).rejects.toThrow(/^a\.m3u8:3: .*cannot be downloaded/);
  },
);

it('a server of this network may lead to another one there', async () => {
  const root = 'http://10.0.0.1/a.m3u8';
  expect(await createLocator(root)('http://10.0.0.2/b.ts', root, place)).toBe('http://10.0.0.2/b.ts');
});

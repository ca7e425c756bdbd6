import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { images } from './images.ts';

const root = join(import.meta.dirname, '../..');
const drivers = ['kysely', 'pg', 'better-sqlite3'];

/** They hold the master key, or connect to the internet. */
const withoutDrivers = ['services/key-derivation', 'services/playback', 'edge'];

test('the images of key-derivation, playback and the edge have no database driver, and no other image leaves packages out', () => {
  const leavingOut = Object.entries(images).filter(([, { unused }]) => unused);
  expect(leavingOut.map(([name]) => name)).toEqual(withoutDrivers);
  for (const [, { unused }] of leavingOut) expect(unused).toEqual(expect.arrayContaining(drivers));
});

test.each(withoutDrivers)(
  '%s starts on an installation without the packages that its image leaves out',
  (name) => {
    const { entry = '', unused = [] } = images[name] ?? {};
    const hook = `import { registerHooks } from 'node:module';
    const absent = new Set(${JSON.stringify(unused)});
    registerHooks({ resolve(specifier, context, next) {
      if (absent.has(specifier.split('/')[0])) throw new Error(specifier + ' is not in the image');
      return next(specifier, context);
    } });`;
    const args = [
      '--import',
      `data:text/javascript,${encodeURIComponent(hook)}`,
      join(root, entry),
      '--help',
    ];
    expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toContain('INTERNAL_SECRET');
  },
  60_000,
);

// It has a dashboard. The others are copied by the same steps.
test('two builds of the image of the gateway copy the same files with the same bytes and modes', () => {
  const lay = () => {
    const folder = mkdtempSync(join(tmpdir(), 'image-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    execFileSync(process.execPath, [join(root, 'tools/image/lay-out.ts'), 'gateway', folder]);
    return listFiles(folder);
  };
  const first = lay();
  expect(first.length).toBeGreaterThan(50);
  expect(lay()).toEqual(first);
});

/** Path, mode and hash of each file; for a link, the hash of its target's name. Times come from the build: docs/operate/release.md. */
function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((path) => {
      const status = lstatSync(join(folder, path));
      const content = status.isSymbolicLink() ? readlinkSync(join(folder, path)) : '';
      const bytes = status.isFile() ? readFileSync(join(folder, path)) : content;
      return `${path} ${status.mode.toString(8)} ${createHash('sha256').update(bytes).digest('hex')}`;
    });
}

test('the build removes the packages that an image leaves out, and the links to them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'image-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const run = (script: string, ...args: string[]) =>
    execFileSync(process.execPath, [join(root, 'tools/image', script), ...args]);
  run('lay-out.ts', 'services/key-derivation', folder);
  const installation = join(folder, 'manifests');
  const store = join(installation, 'node_modules/.pnpm');
  mkdirSync(join(store, 'node_modules'), { recursive: true });
  mkdirSync(join(installation, 'shared/node_modules'), { recursive: true });
  const installed = { ...Object.fromEntries(drivers.map((name) => [name, '1.0.0'])), fastify: '5.0.0' };
  for (const [name, version] of Object.entries(installed)) {
    const place = join(store, `${name}@${version}`, 'node_modules', name);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'index.js'), '');
    symlinkSync(place, join(store, 'node_modules', name));
    symlinkSync(place, join(installation, 'shared/node_modules', name));
  }
  run('prune.ts', installation);
  expect(readdirSync(store).sort()).toEqual(['fastify@5.0.0', 'node_modules']);
  expect(readdirSync(join(store, 'node_modules'))).toEqual(['fastify']);
  expect(readdirSync(join(installation, 'shared/node_modules'))).toEqual(['fastify']);
  expect(existsSync(join(installation, 'unused-packages.json'))).toBe(false);
});

test('the health check of an image succeeds where its process answers 2xx, and otherwise says why not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'image-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const file of ['healthcheck.sh', 'healthcheck-tls.mjs'])
    cpSync(join(root, 'tools/image', file), join(folder, file));
  const server = createServer(({ url }, response) => {
    response.writeHead(url === '/health' ? 200 : 503).end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  /** @returns what it says; nothing of a process that is healthy */
  const check = async (image: string, path: string, env = {}) => {
    writeFileSync(join(folder, 'image.json'), `${JSON.stringify({ package: image, port })}\n`);
    const args = [join(folder, 'healthcheck.sh'), path];
    const run = promisify(execFile)('bash', args, { env: { PATH: process.env.PATH, ...env } });
    return run.then(
      () => '',
      ({ code, stderr }) => `${code} ${stderr}`,
    );
  };
  const tls = { INTERNAL_TLS_CERT_FILE: '/tls.crt' };
  expect(await check('services/leases', '/health')).toBe('');
  expect(await check('services/leases', '/ready')).toBe('1 /ready: HTTP/1.1 503 Service Unavailable\n');
  // The routes that clients call have no TLS. A service has it, and this server does not.
  expect(await check('gateway', '/health', tls)).toBe('');
  expect(await check('services/leases', '/health', tls)).toMatch(/^1 \/health: E/);
  server.close();
  expect(await check('gateway', '/health')).toMatch(/^1 .*Connection refused/s);
});

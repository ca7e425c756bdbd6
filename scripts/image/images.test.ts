import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
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
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
    execFileSync(process.execPath, [join(root, 'scripts/image/lay-out.ts'), 'gateway', folder]);
    return listFiles(folder);
  };
  const first = lay();
  expect(first.length).toBeGreaterThan(50);
  expect(lay()).toEqual(first);
});

/** Path, mode and hash of each file, links as what they lead to by name. Times are those of the build: docs/release.md. */
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
    execFileSync(process.execPath, [join(root, 'scripts/image', script), ...args]);
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

// `node prune.ts <folder>` runs while an image is built. It removes the files of an installation that no process reads:
//   - of each package: types, source maps, tests and documents; licences stay
//   - of better-sqlite3: its sources, and its binaries for other machines
//   - the packages that unused-packages.json of the folder names
//   - of the workspace: files of the installer, and links to packages that are not in the image
import { type Dirent, existsSync, readdirSync, readFileSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

const unreadFile =
  /\.([cm]?ts|map|tsbuildinfo|flow)$|^(readme|changelog|history|contributing|security)\b.*\.md$/i;
/** At the top of a package only: deeper folders with such a name may contain code. */
const unreadFolder = /^(\.github|benchmarks?|docs?|examples?|integration|tests?|__tests__)$/;
const sqliteSources = ['deps', 'src', 'binding.gyp'];
const installersOwn = [
  ...['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'unused-packages.json'],
  ...[
    'node_modules/.modules.yaml',
    'node_modules/.pnpm-workspace-state-v1.json',
    'node_modules/.pnpm/lock.yaml',
  ],
];

const [folder = ''] = process.argv.slice(2);
const store = join(folder, 'node_modules', '.pnpm');
for (const name of JSON.parse(readFileSync(join(folder, 'unused-packages.json'), 'utf8')) as string[]) {
  removePackage(name);
}
for (const entry of list(store)) {
  if (!entry.isDirectory() || entry.name === 'node_modules') continue;
  for (const path of packagesIn(join(store, entry.name, 'node_modules'))) prunePackage(path);
}
for (const file of installersOwn) rmSync(join(folder, file), { force: true });
removeDeadLinks(folder);
// Where pnpm links every package of the store.
removeDeadLinks(join(store, 'node_modules'));

/** The packages of a folder of the store. Its other entries are links to packages elsewhere. */
function packagesIn(modules: string): string[] {
  return list(modules).flatMap((item) => {
    const path = join(modules, item.name);
    if (!item.isDirectory()) return [];
    return item.name.startsWith('@') ? packagesIn(path) : [path];
  });
}

function prunePackage(path: string): void {
  for (const item of list(path)) {
    if (item.isDirectory() && unreadFolder.test(item.name)) remove(join(path, item.name));
  }
  if (path.endsWith('/better-sqlite3')) {
    for (const name of sqliteSources) remove(join(path, name));
    for (const { name } of list(join(path, 'prebuilds'))) {
      if (name !== `${process.platform}-${process.arch}.node`) remove(join(path, 'prebuilds', name));
    }
  }
  pruneFiles(path);
}

function pruneFiles(path: string): void {
  for (const item of list(path)) {
    if (item.isDirectory()) pruneFiles(join(path, item.name));
    else if (unreadFile.test(item.name)) remove(join(path, item.name));
  }
}

/** Removes all versions of a package. The links to it are dead afterwards. */
function removePackage(name: string): void {
  for (const entry of list(store)) if (entry.name.startsWith(`${name}@`)) remove(join(store, entry.name));
}

function removeDeadLinks(path: string): void {
  for (const item of list(path)) {
    const inner = join(path, item.name);
    if (item.isSymbolicLink() && !existsSync(inner)) unlinkSync(inner);
    else if (item.isDirectory() && item.name !== '.pnpm') removeDeadLinks(inner);
  }
}

function list(path: string): Dirent[] {
  return readdirSync(path, { withFileTypes: true });
}

function remove(path: string): void {
  rmSync(path, { recursive: true });
}

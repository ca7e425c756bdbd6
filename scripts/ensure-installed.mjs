import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './with-lock.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The Node 24 that the workspace pins, as the package `node` places it. */
export const pinnedNode = join(
  root,
  'node_modules/node/bin',
  process.platform === 'win32' ? 'node.exe' : 'node',
);

const stamp = join(root, 'node_modules', '.installed');
const pnpm = 'pnpm@12.21.0';

/**
 * Installs the workspace when the lock file or a package.json differs from what was installed last, or when that
 * installation did not come to its end. The second call costs a few file reads and no network. Exits the process with
 * pnpm's code when the installation fails.
 */
export function ensureInstalled() {
  const wanted = fingerprint();
  if (isInstalled(wanted)) return;
  withLock(join(root, '.cache', 'install.lock'), () => {
    // Another first run may have installed it while this one waited.
    if (!isInstalled(wanted)) install(wanted);
  });
}

function isInstalled(wanted) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && existsSync(pinnedNode);
}

function install(wanted) {
  process.stderr.write('Installing the packages that the lock file names (once; a minute at most)…\n');
  // An installation that is cut off leaves no stamp, not even an older one that may fit again later.
  rmSync(stamp, { force: true });
  const done = spawnSync('npx', ['--yes', pnpm, 'install', '--frozen-lockfile', '--reporter=append-only'], {
    cwd: root,
    // The installer's chatter goes to standard error: standard output belongs to the command that is about to run.
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
    // Without a terminal pnpm asks nothing, and replaces a node_modules that another package manager made.
    env: { ...process.env, CI: 'true' },
  });
  if (done.error || done.status !== 0) {
    const reason = done.error?.message ?? `pnpm ended with ${done.signal ?? done.status}`;
    process.stderr.write(`Could not install the packages: ${reason}\n`);
    process.exit(done.status || 1);
  }
  writeFileSync(stamp, wanted);
}

function fingerprint() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests()]) {
    hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

/** The package.json of the root and of each package that pnpm-workspace.yaml names, as far as they are here. */
function manifests() {
  const workspace = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8');
  const [, packages = ''] = /^packages:\n((?: +- .*\n)*)/m.exec(workspace) ?? [];
  const folders = [...packages.matchAll(/- *["']?([^"'\n]+)/g)].flatMap(([, pattern]) => expand(pattern));
  return ['package.json', ...folders.map((folder) => `${folder}/package.json`)].filter((file) =>
    existsSync(join(root, file)),
  );
}

/** `services/*` stands for every folder in services; any other pattern is a folder. */
function expand(pattern) {
  if (!pattern.endsWith('/*')) return [pattern];
  const parent = pattern.slice(0, -2);
  if (!existsSync(join(root, parent))) return [];
  return readdirSync(join(root, parent))
    .sort()
    .map((name) => `${parent}/${name}`);
}

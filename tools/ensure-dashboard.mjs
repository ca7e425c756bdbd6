import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pinnedNode, root } from './ensure-installed.mjs';
import { withLock } from './with-lock.mjs';

const sources = join(root, 'admin');
const built = join(sources, 'dist');
/** The file inside the build that says which sources it was built from. */
const stamp = 'built-from';
/** Files that the build does not read. */
const unread = /^(node_modules|dist|README\.md)$|\.test\.tsx?$/;

/**
 * Builds the dashboard when its sources or the lock file have changed since the last build. Another call only reads a hundred
 * small files. A build that fails is reported and leaves the earlier one in place: keys are served without a dashboard too.
 *
 * @returns whether the dashboard is built and up to date
 */
export function ensureDashboard() {
  const wanted = fingerprint();
  if (isBuilt(wanted)) return true;
  // Another process may have built it while this one waited.
  return withLock(join(root, '.cache', 'dashboard.lock'), () => isBuilt(wanted) || build(wanted));
}

function isBuilt(wanted) {
  const file = join(built, stamp);
  return existsSync(file) && readFileSync(file, 'utf8') === wanted;
}

function build(wanted) {
  process.stderr.write('Building the dashboard (when its sources have changed; some seconds)…\n');
  const fresh = join(root, '.cache', 'dashboard');
  const old = join(root, '.cache', 'dashboard-before');
  for (const folder of [fresh, old]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  const vite = join(root, 'tools', 'node_modules', 'vite', 'bin', 'vite.js');
  const options = ['--outDir', fresh, '--emptyOutDir', '--logLevel', 'warn'];
  // Standard output belongs to the command that runs next. With the NODE_ENV of tests, React would be built for development.
  const env = { ...process.env, NODE_ENV: 'production' };
  const done = spawnSync(pinnedNode, [vite, 'build', ...options], {
    cwd: sources,
    stdio: ['ignore', 2, 2],
    env,
  });
  if (done.error || done.status !== 0) {
    const reason = done.error?.message ?? `vite ended with ${done.signal ?? done.status}`;
    process.stderr.write(`Could not build the dashboard, so /admin is not up to date: ${reason}\n`);
    return false;
  }
  writeFileSync(join(fresh, stamp), wanted);
  // By renaming, so that a running server finds either of the two builds complete.
  if (existsSync(built)) renameSync(built, old);
  renameSync(fresh, built);
  rmSync(old, { recursive: true, force: true });
  return true;
}

function fingerprint() {
  const hash = createHash('sha256').update(readFileSync(join(root, 'pnpm-lock.yaml')));
  for (const file of filesIn('')) hash.update(`${file}\n`).update(readFileSync(join(sources, file)));
  return hash.digest('hex');
}

function filesIn(folder) {
  return readdirSync(join(sources, folder), { withFileTypes: true })
    .filter(({ name }) => !unread.test(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesIn(path) : [path];
    });
}

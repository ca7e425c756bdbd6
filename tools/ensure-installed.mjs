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
export const pnpm = 'pnpm@12.21.0';

/** The end of the stamp of an installation for `npm start` alone. */
const programsOnly = ' programs';
/**
 * The options of pnpm by what is installed. The programs are the servers and the command line, without what tests and checks need: 340 MB
 * in place of 930. `--prod=false` also holds where NODE_ENV is `production`.
 */
const options = {
  programs: [
    '--prod',
    // With the packages of this workspace that they use.
    ...['@latchkey/gateway...', '@latchkey/cli...'].flatMap((name) => ['--filter', name]),
    // The packages that build the dashboard, and the Node of all.
    ...['@latchkey/admin', '@latchkey/tools'].flatMap((name) => ['--filter', name]),
  ],
  everything: ['--prod=false'],
};

/**
 * Installs the workspace when the lock file or a package.json differs from the last installation, or when that one was cut
 * off or lacks what is needed now. Another call only reads a few files, without network. Exits the process with pnpm's code if the
 * installation fails.
 *
 * @param needed `programs` for servers and the command line. Packages of an earlier complete installation are kept
 */
export function ensureInstalled(needed = 'everything') {
  const wanted = fingerprint();
  if (isInstalled(wanted, needed)) return;
  withLock(join(root, '.cache', 'install.lock'), () => {
    // Another process may have installed it while this one waited.
    if (!isInstalled(wanted, needed)) install(wanted, needed);
  });
}

function isInstalled(wanted, needed) {
  const installed = readStamp();
  const isEnough = installed === wanted || (needed === 'programs' && installed === wanted + programsOnly);
  return isEnough && existsSync(pinnedNode);
}

function readStamp() {
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';
}

function install(wanted, needed) {
  const earlier = readStamp();
  // For the programs alone pnpm would remove the rest of an earlier complete installation.
  const scope =
    needed === 'programs' && (earlier === '' || earlier.endsWith(programsOnly)) ? needed : 'everything';
  process.stderr.write('Installing the packages that the lock file names (once; a minute at most)…\n');
  // An installation that is cut off must leave no stamp, not even an older one that may match again later.
  rmSync(stamp, { force: true });
  const args = ['--yes', pnpm, 'install', '--frozen-lockfile', '--reporter=append-only', ...options[scope]];
  const done = spawnSync('npx', args, {
    cwd: root,
    // Its output goes to standard error, because standard output belongs to the command that runs next.
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
    // With CI, pnpm asks no questions and replaces a node_modules of another package manager.
    env: { ...process.env, CI: 'true' },
  });
  if (done.error || done.status !== 0) {
    const reason = done.error?.message ?? `pnpm ended with ${done.signal ?? done.status}`;
    process.stderr.write(`Could not install the packages: ${reason}\n`);
    process.exit(done.status || 1);
  }
  writeFileSync(stamp, scope === 'programs' ? wanted + programsOnly : wanted);
}

function fingerprint() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests()]) {
    hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

/** The package.json of the root and of each package that pnpm-workspace.yaml names, if it exists. */
function manifests() {
  const workspace = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8');
  const [, packages = ''] = /^packages:\n((?: +- .*\n)*)/m.exec(workspace) ?? [];
  const folders = [...packages.matchAll(/- *["']?([^"'\n]+)/g)].flatMap(([, pattern]) => expand(pattern));
  return ['package.json', ...folders.map((folder) => `${folder}/package.json`)].filter((file) =>
    existsSync(join(root, file)),
  );
}

/** `services/*` means each folder in services. Any other pattern is a folder. */
function expand(pattern) {
  if (!pattern.endsWith('/*')) return [pattern];
  const parent = pattern.slice(0, -2);
  if (!existsSync(join(root, parent))) return [];
  return readdirSync(join(root, parent))
    .sort()
    .map((name) => `${parent}/${name}`);
}

#!/usr/bin/env node
import { ensureDashboard } from './ensure-dashboard.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
// The scripts of package.json, such as `npm start` and `npm test`, call this file. It runs on Node 20 and newer. If they have
// changed, it installs the packages of the lock file and builds the dashboard. Then it starts the Node 24 of the workspace.
import { runPinned } from './run-pinned.mjs';
import { singleNodeCommand, singleNodeEnvironment } from './single-node-command.mjs';

const entries = {
  start: singleNodeCommand,
  demo: ['examples/demo/main.ts'],
  example: ['examples/src/main.ts'],
  bench: ['tests/bench/main.ts'],
  test: ['tools/test.ts'],
  'test:faults': ['tests/faults/main.ts'],
  'test:ops': ['tests/faults/alerts/main.ts'],
  'test:rotations': ['tests/faults/rotations/main.ts'],
  'test:distributed': ['tools/test-distributed.ts'],
  'test:upgrade': ['tools/test-upgrade.ts'],
  'test:compose': ['tools/test-compose.ts'],
  'test:tls': ['tools/test-tls.ts'],
  'test:custody': ['tools/test-custody.ts'],
  'metrics-document': ['tools/metrics-document.ts'],
  check: ['tools/check.ts'],
  sbom: ['tools/sbom.ts'],
  'build:pkcs11': ['tools/build-pkcs11.ts'],
  'dashboard:screenshots': ['tests/browser/dashboard/screenshots/main.ts'],
};

const [name, ...args] = process.argv.slice(2);
const entry = entries[name];
if (!entry) {
  process.stderr.write(`usage: node tools/run.mjs ${Object.keys(entries).join('|')} [arguments]\n`);
  process.exit(2);
}
// The first start installs and builds for a minute.
if (name === 'start') await import('./survive-hangup.mjs');
ensureInstalled(name === 'start' ? 'programs' : 'everything');
// An image builds its own dashboard, and a list of packages needs none.
if (name !== 'test:compose' && name !== 'sbom') ensureDashboard();
runPinned([...entry, ...args], { defaults: name === 'start' ? singleNodeEnvironment : {} });

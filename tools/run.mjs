#!/usr/bin/env node
import { commands } from './commands.mjs';
import { ensureDashboard } from './ensure-dashboard.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
// The scripts of package.json, such as `npm start` and `npm test`, call this file. It runs on Node 20 and newer. If they have
// changed, it installs the packages of the lock file and builds the dashboard. Then it starts the Node 24 of the workspace.
import { runPinned } from './run-pinned.mjs';
import { singleNodeEnvironment } from './single-node-command.mjs';

const [name, ...args] = process.argv.slice(2);
const command = commands[name];
if (!command) {
  process.stderr.write(`usage: node tools/run.mjs ${Object.keys(commands).join('|')} [arguments]\n`);
  process.exit(2);
}
const word = command.words?.[args[0]];
ensureInstalled(name === 'start' ? 'programs' : 'everything');
if (!(word ?? command).withoutDashboard) ensureDashboard();
runPinned(word ? [word.entry, ...args.slice(1)] : [...command.entry, ...args], {
  defaults: name === 'start' ? singleNodeEnvironment : {},
});

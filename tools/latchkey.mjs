#!/usr/bin/env node
// `npx latchkey …` inside the workspace.
import { join } from 'node:path';
import { ensureInstalled, root } from './ensure-installed.mjs';
import { runPinned } from './run-pinned.mjs';

ensureInstalled('programs');
runPinned([join(root, 'cli', 'src', 'main.ts'), ...process.argv.slice(2)], { cwd: process.cwd() });

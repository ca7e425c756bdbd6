import { randomBytes } from 'node:crypto';
import { singleNodeSettings } from '@latchkey/shared/config';
import { runProcess } from '@latchkey/shared/process';
import packageJson from '../package.json' with { type: 'json' };
import { mountSingleNode } from './single-node-app.ts';
import { readNodeConfiguration } from './single-node-first-run.ts';

const about = `latchkey, every service in one process on SQLite

  npm start              serves until it is stopped (SIGTERM, SIGINT)
  npm start -- --help    this
  npm start -- --version which release this is

Everything is configured by environment variables. Each of them may come from a file instead: X_FILE names it.`;

if (import.meta.main)
  await runProcess(
    {
      name: 'single-node',
      version: packageJson.version,
      about,
      settings: singleNodeSettings,
      read: (env) => readNodeConfiguration(env, randomBytes),
      mount: mountSingleNode,
    },
    process,
    process.env,
  );

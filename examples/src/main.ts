import { provideTool } from '@latchkey/support/provide-tool';
import { checkExample } from './check-example.ts';
import { readOptions, usage } from './example-options.ts';
import { runEntry } from './run-entry.ts';
import { describeExample, startExample } from './run-example.ts';
import { untilStopped } from './start-key-server.ts';

await runEntry('example', async ({ signal, cleanUps }) => {
  // npm runs scripts in the root of the workspace. Relative paths refer to the folder where the command was typed.
  if (process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
  const options = readOptions(process.argv.slice(2));
  const terminal = process.stdout;
  if (options.help) {
    terminal.write(usage);
    return 0;
  }
  const ffmpeg = options.server ? '' : provideTool('ffmpeg');
  const chromium = options.check ? provideTool('chromium') : '';
  if (ffmpeg === undefined || chromium === undefined) return 1;
  const example = await startExample({ options, ffmpeg, env: process.env, signal, cleanUps, terminal });
  if (options.check) {
    await checkExample({ example, chromium, cleanUps, terminal });
    terminal.write('example: ok\n');
    return 0;
  }
  terminal.write(describeExample(example));
  await untilStopped(signal, example.own?.server);
  terminal.write('\nStopping.\n');
  return 0;
});

import { provideTool } from '@latchkey/rig/provide-tool';
import { checkExample } from './check-example.ts';
import { readOptions, usage } from './example-options.ts';
import { runEntry } from './run-entry.ts';
import { describeExample, startExample } from './run-example.ts';

await runEntry('example', async ({ signal, cleanUps }) => {
  // npm runs scripts in the workspace's folder. A path means what it does where the command was typed.
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
  const stopped = new Promise<void>((done) => signal.addEventListener('abort', () => done()));
  const ended = example.own?.server.ended.then(() => {
    // Ctrl-C in a terminal reaches the key server, too, which may be the faster one.
    if (!signal.aborted) throw new Error('the key server ended');
  });
  if (!signal.aborted) await Promise.race([stopped, ...(ended ? [ended] : [])]);
  terminal.write('\nStopping.\n');
  return 0;
});

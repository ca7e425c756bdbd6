import { provideTool } from '@latchkey/support/provide-tool';
import { checkDemo } from './check-demo.ts';
import { readOptions } from './demo-options.ts';
import { runEntry } from './run-entry.ts';
import { startDemo } from './start-demo.ts';

await runEntry('demo', async (stack, signal) => {
  const options = readOptions(process.argv.slice(2));
  // npm runs scripts in the root of the workspace. Relative paths refer to the folder where the command was typed.
  if (process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
  const ffmpeg = options.server ? '' : provideTool('ffmpeg');
  const chromium = options.check ? provideTool('chromium') : '';
  if (ffmpeg === undefined || chromium === undefined) return 1;
  const demo = await startDemo({ options, ffmpeg, env: process.env, stack, signal });
  if (options.check) {
    await checkDemo(demo, chromium);
    console.log('demo: ok');
    return 0;
  }
  signal.throwIfAborted();
  console.log(demo.description);
  await Promise.race([demo.failed, new Promise((resolve) => signal.addEventListener('abort', resolve))]);
  console.log('\nStopping.');
  return 0;
});

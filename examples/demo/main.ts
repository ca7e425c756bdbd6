import { provideTool } from '@latchkey/support/provide-tool';
import { runEntry } from '../src/run-entry.ts';
import { readOptions, usage } from './demo-options.ts';
import { runDemo } from './run-demo.ts';

await runEntry('demo', async ({ signal, cleanUps }) => {
  const options = readOptions(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(usage);
    return 0;
  }
  const ffmpeg = provideTool('ffmpeg');
  if (ffmpeg === undefined) {
    console.error('The demonstration needs ffmpeg to make its video.');
    return 1;
  }
  await runDemo({ options, ffmpeg, env: process.env, signal, cleanUps, terminal: process.stdout });
  return 0;
});

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { checkDemo } from './check-demo.ts';

vi.setConfig({ testTimeout: 240_000 });
const entryFile = fileURLToPath(new URL('./main.ts', import.meta.url));

/** Starts the demonstration on free ports, with a short video. */
function startDemo() {
  const child = spawn(process.execPath, [entryFile, '--port', '0', '--seconds', '20']);
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  const { promise: watchable, resolve, reject } = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('Ctrl-C stops')) resolve(output);
    });
  }
  const ended = new Promise<number | null>((done) => child.once('close', done));
  ended.then(() => reject(new Error(`The demonstration ended. It wrote:\n${output}`)));
  watchable.catch(() => {});
  return { child, watchable, ended };
}

it('the demonstration passes its own check, serves until it is interrupted, and leaves nothing on its ports', async () => {
  const { child, watchable, ended } = startDemo();
  const urls = [...new Set((await watchable).match(/http:\/\/127\.0\.0\.1:\d+/g))];
  const [pageOrigin = '', serverUrl = '', ...more] = urls;
  expect(more).toEqual([]);
  // As `npm run demo -- --check` does, which then ends by itself.
  await checkDemo({ pageOrigin, serverUrl });
  child.kill('SIGINT');
  expect(await ended).toBe(0);
  for (const url of urls) await expect(fetch(url)).rejects.toThrow();
});

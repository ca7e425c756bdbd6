import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { encryptOptions, keyOfUrl } from '../testing/encrypt-files.ts';
import { startKeyServer } from '../testing/key-server.ts';
import { playPresentation } from '../testing/play-presentation.ts';
import { apiKeyEnv, startProcess } from '../testing/run-command.ts';
import { temporaryFolder, writeFiles } from '../testing/temporary-folder.ts';
import { encryptPresentation } from './encrypt-presentation.ts';

const names = ['0.ts', '1.ts', '2.ts', '3.ts'];
const files = {
  'f.m3u8': ['#EXTM3U', ...names.flatMap((name) => ['#EXTINF:2,', name]), '#EXT-X-ENDLIST'].join('\n'),
  ...Object.fromEntries(names.map((name) => [name, name])),
};

it('a run that SIGKILL ends leaves no output folder, and the next run removes its partial folder', async () => {
  const folder = writeFiles(temporaryFolder(), files);
  const outside = temporaryFolder();
  const out = join(outside, 'out');
  const child = startProcess('testing/stall-after-two-files.ts', [folder, out], process.env);
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');

  const [partial, ...others] = readdirSync(outside);
  expect(others).toEqual([]);
  expect(partial).toMatch(/^out\.partial-/);
  expect(readdirSync(join(outside, partial ?? '')).sort()).toEqual(['00000.ts', '00001.ts']);

  await encryptPresentation({ ...encryptOptions(folder, 'f.m3u8'), outFolder: out });
  expect(readdirSync(outside)).toEqual(['out']);
  const [played] = playPresentation(join(out, 'f.m3u8'), keyOfUrl);
  expect(played?.segments.map(({ clear }) => clear.toString())).toEqual(names);
}, 120_000);

it.each(['SIGINT', 'SIGTERM'] as const)(
  'a run that %s ends leaves nothing, and its process ends by that signal',
  async (signal) => {
    const folder = writeFiles(temporaryFolder(), files);
    const outside = temporaryFolder();
    // The key is never answered: the command is in the middle of its work when the signal comes.
    const { promise: waits, resolve: asked } = Promise.withResolvers<void>();
    const { url } = await startKeyServer(() => asked());
    const args = ['encrypt', join(folder, 'f.m3u8'), '--content-id', 'film', '--out', join(outside, 'out')];
    const child = startProcess('main.ts', [...args, '--server', url], { ...process.env, ...apiKeyEnv });
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    await waits;
    expect(readdirSync(outside)).toEqual([expect.stringMatching(/^out\.partial-/)]);
    child.kill(signal);
    expect(await once(child, 'close')).toEqual([null, signal]);
    expect(said).toContain('interrupted');
    expect(readdirSync(outside)).toEqual([]);
  },
  120_000,
);

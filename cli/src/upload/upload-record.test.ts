import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { encryptOptions } from '../testing/encrypt-files.ts';
import { makeInitialization } from '../testing/media-boxes.ts';
import { temporaryFolder, writeFiles } from '../testing/temporary-folder.ts';
import { describeWork } from './upload-record.ts';

const playlist = '#EXTM3U\n#EXT-X-MAP:URI="i.mp4"\n#EXTINF:2,\na.m4s\n#EXT-X-ENDLIST\n';

/** The fingerprint of release 0.2.0, whose initialization sections were encrypted. */
function fingerprintOfOldForm(folder: string, keySource: string): string {
  const hash = createHash('sha256');
  const add = (...parts: unknown[]) => hash.update(`${JSON.stringify(parts)}\n`);
  add(keySource, 'film', 'https://keys.example.com', null, false);
  add(join(folder, 'f.m3u8'), playlist);
  for (const name of ['i.mp4', 'a.m4s']) {
    const { size, mtimeMs } = statSync(join(folder, name));
    add(join(folder, name), size, mtimeMs);
  }
  return hash.digest('hex');
}

it('output of the form of release 0.2.0 is not taken for the output of the same work today', async () => {
  const folder = temporaryFolder();
  writeFiles(folder, { 'f.m3u8': playlist, 'i.mp4': makeInitialization(), 'a.m4s': 'media' });
  const describe = () => describeWork(encryptOptions(folder, 'f.m3u8'), 'some source');
  const { fingerprint } = await describe();
  expect(fingerprint).not.toBe(fingerprintOfOldForm(folder, 'some source'));
  expect((await describe()).fingerprint).toBe(fingerprint);
});

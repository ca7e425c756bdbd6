import { createCipheriv, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  changesArrived,
  createApiKey,
  createLease,
  makeScene,
  revokeLeases,
  type Scene,
} from '@latchkey/support/black-box/server-actions';
import { makeFolder } from '@latchkey/support/black-box/server-process';
import { openShared, readShared } from '@latchkey/support/black-box/target';
import { decodeVideo, ffmpeg } from '@latchkey/support/playback/decode-video';
import { answersOf, readKeyRequests, servedPaths } from '@latchkey/support/playback/key-requests';
import { startMediaServer } from '@latchkey/support/playback/media-server';
import type { MadeVideo } from '@latchkey/support/video/make-video';
import { afterAll, expect, it } from 'vitest';
import { askBySpeke2, decode, find, readKeys, ruleFor, spekeDocument } from './speke-documents.ts';

const publicUrl = 'https://keys.example';
/** Six segments of two seconds, each in a key period of its own. */
const seconds = 12;

const folder = makeFolder();
const media = await startMediaServer(folder.path);
afterAll(() => {
  media.close();
  folder.remove();
});
const server = await openShared('every-route');
const { raw: as } = await createApiKey(server, 'packager');
const clear = await readShared<MadeVideo>('/videos/short');

/** The data that a packager has about one key. */
interface PackagerKey {
  /** The line for the playlist, with the address under which the test reaches the server. */
  line: string;
  key: Buffer;
  iv: Buffer;
}

/** Asks by SPEKE for one key for each period, as a packager does for a channel that changes its key. */
async function fetchKeys(contentId: string, kids: readonly string[]): Promise<PackagerKey[]> {
  const periods = kids.map((_, index) => `<cpix:ContentKeyPeriod id="p${index}" index="${index}"/>`).join('');
  const rules = kids.map((kid, index) => ruleFor(kid, 'ALL', `p${index}`)).join('');
  const list = `<cpix:ContentKeyPeriodList>${periods}</cpix:ContentKeyPeriodList>`;
  const answer = await askBySpeke2(server.client, spekeDocument({ contentId, kids, periods: list, rules }), {
    as,
  });
  expect(answer.status).toBe(200);
  const xml = answer.bytes.toString('utf8');
  const keys = readKeys(server.client, xml);
  const lines = find(xml, 'HLSSignalingData').filter(({ attribute }) => attribute('playlist') === 'media');
  return find(xml, 'ContentKey').map(({ attribute }, index) => ({
    line: decode(lines[index]?.text ?? '').replace(publicUrl, server.url),
    key: Buffer.from(keys.get(attribute('kid') ?? '') ?? '', 'hex'),
    iv: Buffer.from(attribute('explicitIV') ?? '', 'base64'),
  }));
}

/** Encrypts the first rendition, a key for each segment. @returns its name below the media server */
function packageVideo(playlist: string, name: string, keys: readonly PackagerKey[]): string {
  const from = join(dirname(playlist), '0');
  const to = join(folder.path, name);
  mkdirSync(to);
  let segment = 0;
  const lines = readFileSync(join(from, 'index.m3u8'), 'utf8').split('\n');
  const written = lines.flatMap((line) => {
    const key = keys[segment];
    if (line.startsWith('#EXTINF') && key) return [`${key.line},IV=0x${key.iv.toString('hex')}`, line];
    if (line === '' || line.startsWith('#') || !key) return [line];
    segment++;
    const cipher = createCipheriv('aes-128-cbc', key.key, key.iv);
    const bytes = Buffer.concat([cipher.update(readFileSync(join(from, line))), cipher.final()]);
    writeFileSync(join(to, line), bytes);
    return [line];
  });
  expect(segment).toBe(keys.length);
  writeFileSync(join(to, 'index.m3u8'), written.join('\n'));
  return `${media.origin}/${name}/index.m3u8`;
}

it('ffmpeg plays what a packager encrypted with the keys of SPEKE, with the frames of the clear video, until the lease is revoked', async () => {
  const scene: Scene = await makeScene(server);
  const kids = Array.from({ length: seconds / 2 }, () => randomUUID());
  const url = packageVideo(clear.ts, scene.contentId, await fetchKeys(scene.contentId, kids));
  const leaseId = await createLease(server, scene);
  const headers = { authorization: `Bearer ${scene.token}`, 'x-lease-id': leaseId };

  const original = await decodeVideo(ffmpeg, join(dirname(clear.ts), '0', 'index.m3u8'));
  const played = await decodeVideo(ffmpeg, url, headers);
  expect(played).toEqual(original);
  expect(played.pictures).toBe(25 * seconds);
  const requests = await readKeyRequests(server, scene.contentId);
  expect(answersOf(requests)).toEqual(['200']);
  expect(servedPaths(requests)).toEqual(kids.map((kid) => `/keys/${scene.contentId}/kid/${kid}`).sort());

  await revokeLeases(server, { leaseId });
  await changesArrived(server);
  await expect(decodeVideo(ffmpeg, url, headers)).rejects.toThrow();
  expect((await readKeyRequests(server, scene.contentId)).at(-1)?.code).toBe('LEASE_REVOKED');
});

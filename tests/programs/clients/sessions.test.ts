import { revokeLeases } from '@latchkey/support/black-box/server-actions';
import { answersOf, readKeyRequests, servedPaths } from '@latchkey/support/playback/key-requests';
import { describe, expect, it, vi } from 'vitest';
import { pictures } from './client-setup.ts';
import { programs } from './programs.ts';
import { openSessionStage, type SessionContainer, type SessionScreening } from './session-stage.ts';

vi.setConfig({ testTimeout: 120_000 });
const stage = await openSessionStage();
const { server, media } = stage;

/** Pictures that a program may leave out although it plays everything: VLC waits for the sound. */
const skippedAtMost = { ffmpeg: 0, mpv: 0, VLC: 25, GStreamer: 0 } as const;
/** A live channel without an end, or a program that does not end at a refusal: half a minute of VLC's own patience. */
const limitMs = 25_000;
/** Of a segment of two seconds. */
const picturesOfSegment = 50;

/** GStreamer gets the key of fMP4 but cannot decrypt it: docs/start/players.md. */
const containersOf = (name: keyof typeof programs): SessionContainer[] =>
  name === 'GStreamer' ? ['ts'] : ['ts', 'fmp4'];
const names = Object.keys(programs) as (keyof typeof programs)[];

const keysOf = async (scene: SessionScreening, work: () => Promise<unknown>) => {
  const before = (await readKeyRequests(server, scene.contentId)).length;
  await work();
  return (await readKeyRequests(server, scene.contentId)).slice(before);
};

describe.each(names)('%s', (name) => {
  const { path, play } = programs[name];
  const isHere = path !== '';

  it.skipIf(!isHere).each(containersOf(name))(
    `${name} plays %s of a session by its URL alone, on demand and live, through three keys`,
    async (container) => {
      for (const kind of ['film', 'live'] as const) {
        const scene = await stage.screen(container, kind);
        let shown = 0;
        const keys = await keysOf(scene, async () => {
          shown = await play(scene.url);
        });
        expect(shown, kind).toBeGreaterThanOrEqual(pictures - skippedAtMost[name]);
        expect(answersOf(keys), kind).toEqual(['200']);
        expect(servedPaths(keys).length, kind).toBeGreaterThanOrEqual(3);
      }
    },
  );

  it.skipIf(!isHere)(
    `${name} gets no further key, playlist or picture of a live channel after the revocation of its session`,
    async () => {
      const scene = await stage.screen('ts', 'endless');
      const playing = play(scene.url, limitMs);
      // It began at three segments, so it has reloaded the playlist.
      await vi.waitFor(() => expect(media.shownOf(scene.channel)).toBeGreaterThan(3), {
        timeout: 30_000,
        interval: 50,
      });
      await revokeLeases(server, { leaseId: scene.leaseId });
      const before = (await readKeyRequests(server, scene.contentId)).length;
      const listed = media.shownOf(scene.channel);
      const shown = await playing;
      expect(shown).toBeLessThanOrEqual(picturesOfSegment * (listed + 1));
      const later = (await readKeyRequests(server, scene.contentId)).slice(before);
      expect(answersOf(later).filter((answer) => answer !== '403 LEASE_REVOKED')).toEqual([]);
    },
  );
});

import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PlayerOptions } from './player-options.ts';
import { keyUrl } from './testing/fake-key-server.ts';
import { createPlayerScene, load } from './testing/player-scene.ts';

afterEach(() => vi.unstubAllGlobals());

/** A player that plays, and a server that answers key requests with this Retry-After until `restore()`. */
async function openBusy(retryAfter: string, more: Partial<PlayerOptions> = {}) {
  const { fake, video, errors, open } = createPlayerScene();
  const { player, hls } = open(more);
  await load(player);
  const headers = { 'Retry-After': retryAfter };
  const { restore } = fake.answer('GET', () => new Response('', { status: 503, headers }));
  const fragments = [0, 0, 1, 1].map((epoch, sn) => ({ sn, decryptdata: { uri: keyUrl(epoch) } }));
  hls.levels = [{ details: { fragments } }];
  /** A segment is loaded: the key of the next period is fetched ahead. */
  const loadSegment = async (sn: number) => {
    const frag = { type: 'main', level: 0, sn, duration: 1, stats: { loading: { start: 0, end: 1 } } };
    hls.trigger('FRAG_LOADED', { frag });
    await fake.clock.advance(1);
  };
  return { fake, video, errors, hls, loadSegment, restore };
}

describe('a server that asks with Retry-After to be left alone', () => {
  it.each(['5', 'Sat, 21 Nov 2026 12:00:06 GMT'])(
    'after the Retry-After %s the server gets no key request for 5 s, neither ahead nor for a key that is needed',
    async (retryAfter) => {
      const { fake, hls, errors, loadSegment, restore } = await openBusy(retryAfter);
      await loadSegment(0);
      expect(fake.to('GET')).toHaveLength(1);
      await fake.clock.advance(1_500);
      await loadSegment(1);
      const key = hls.askForKey(keyUrl(1));
      await fake.clock.advance(3_400);
      expect(fake.to('GET')).toHaveLength(1);
      restore();
      await fake.clock.advance(200);
      expect(await key).toBe(1);
      expect(fake.to('GET')).toHaveLength(2);
      expect(errors).toEqual([]);
    },
  );

  it('a Retry-After of an hour ends playback after one request once nothing could be played for `patienceSeconds`', async () => {
    const { fake, video, hls, errors } = await openBusy('3600', { patienceSeconds: 5 });
    video.readyState = 0;
    hls.askForKey(keyUrl(1));
    await fake.clock.advance(4_900);
    expect(errors).toEqual([]);
    await fake.clock.advance(700);
    expect(errors).toMatchObject([{ code: 'NETWORK', status: 503 }]);
    expect(fake.to('GET')).toHaveLength(1);
  });

  it('after a Retry-After of an hour the key is requested again after `patienceSeconds` while something can be played', async () => {
    const { fake, hls, restore } = await openBusy('3600', { patienceSeconds: 5 });
    const key = hls.askForKey(keyUrl(1));
    await fake.clock.advance(4_900);
    expect(fake.to('GET')).toHaveLength(1);
    restore();
    await fake.clock.advance(200);
    expect(await key).toBe(1);
  });
});

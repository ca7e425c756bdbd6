import { openBrowser } from '@latchkey/support/open-browser';
import { answersOf, servedPaths } from '@latchkey/support/playback/key-requests';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type Container,
  openClientSetup,
  pictures,
  type Screening,
  seconds,
  showsToken,
  tokenPlaceOf,
} from './client-setup.ts';
import { showCode } from './documented-code.ts';

vi.setConfig({ testTimeout: 120_000 });
const stage = await openClientSetup({ RATE_LIMIT: 'on' });
const browser = await openBrowser(process.env.CHROMIUM_PATH ?? '/usr/bin/chromium');
afterAll(() => browser.close());

interface Seen {
  errors: string[];
  ended: boolean;
  failed: boolean;
  currentTime: number;
  pictures: number;
  fastWidth: number;
  /** Key requests that did not get a key, as far as the player's hook sees them. */
  refused: number;
}

interface Playing {
  readonly url?: string;
  readonly place?: 'header' | 'cookie';
  readonly iFrames?: boolean;
  readonly cacheKeys?: boolean;
  readonly rate?: number;
  /** A condition on `seen`, as a script. */
  readonly until?: string;
}

/** Plays in a new page until the film ends, playback fails or `until` is true. */
async function play(player: string, film: Screening, options: Playing = {}): Promise<Seen> {
  const { url = film.url, until = 'seen.ended || seen.failed', ...more } = options;
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  await page.goto(`${stage.films.origin}/players.html`);
  await page.waitForFunction('window.play');
  const asked = { player, url, token: film.token, ...more };
  await page.evaluate(`window.play(${JSON.stringify(asked)})`);
  await page.waitForFunction(`((seen) => ${until})(window.seen())`, undefined, { timeout: 60_000 });
  return page.evaluate('window.seen()');
}

const ended = { ended: true, errors: [] };

describe.each(['hls', 'shaka', 'videojs'])('%s', (player) => {
  it.each<Container>(['ts', 'fmp4'])(
    `${player} plays %s to the end with the token in a header that the media server does not receive`,
    async (container) => {
      const film = await stage.screen(container);
      const { result, keys, files } = await stage.watch(film, () => play(player, film, { place: 'header' }));
      expect(result).toMatchObject(ended);
      expect(result.currentTime).toBeGreaterThan(seconds - 0.5);
      // The browser counts pictures a little later, and drops some on a busy machine.
      expect(result.pictures).toBeGreaterThan(pictures / 2);
      expect(answersOf(keys)).toEqual(['200']);
      // Three epochs, and for fMP4 a fourth, of which the sound has a fraction of a second.
      expect(servedPaths(keys).length).toBeGreaterThanOrEqual(3);
      expect(files.filter(showsToken)).toEqual([]);
    },
  );

  it(`${player} plays to the end with a cookie of the page, sent to the key server of another origin`, async () => {
    const film = await stage.screen('fmp4');
    const cookie = { url: film.urlWithCookie, place: 'cookie' } as const;
    const { result, keys } = await stage.watch(film, () => play(player, film, cookie));
    expect(result).toMatchObject(ended);
    expect(answersOf(keys)).toEqual(['200']);
  });

  it(`${player} plays to the end with the token in the key URLs`, async () => {
    const film = await stage.screen('fmp4');
    const { result, keys } = await stage.watch(film, () => play(player, film, { url: film.urlWithToken }));
    expect(result).toMatchObject(ended);
    expect(answersOf(keys)).toEqual(['200']);
    expect(new Set(keys.map(tokenPlaceOf))).toEqual(new Set(['query']));
  });
});

it.each(['hls.js', 'Shaka Player', 'video.js'] as const)(
  '%s plays to the end with the code of docs/start/players.md',
  async (player) => {
    const film = await stage.screen('ts');
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    await page.goto(`${stage.films.origin}/players.html`);
    await page.waitForFunction('window.play');
    const { keys, files } = await stage.watch(film, async () => {
      await page.evaluate(showCode(player, film));
      await page.waitForFunction('document.querySelector("video").ended', undefined, { timeout: 60_000 });
    });
    expect(answersOf(keys)).toEqual(['200']);
    expect(files.filter(showsToken)).toEqual([]);
  },
);

it.each(['hls', 'shaka', 'videojs'])(
  '%s plays fMP4 to the end through a break with a second initialization section',
  async (player) => {
    const film = await stage.screen('twoMaps');
    // hls.js stops some hundredths of a second before the end of such a film, in the clear as well.
    const until = `seen.failed || seen.currentTime > ${seconds - 0.5}`;
    const playing = { place: 'header', until } as const;
    const { result, keys } = await stage.watch(film, () => play(player, film, playing));
    expect(result.errors).toEqual([]);
    expect(result.pictures).toBeGreaterThan(pictures / 2);
    expect(servedPaths(keys)).toHaveLength(3);
  },
);

it.each(['hls', 'shaka'])('%s fails without a token', async (player) => {
  const film = await stage.screen('ts');
  const { result, keys } = await stage.watch(film, () => play(player, film));
  expect(result.failed).toBe(true);
  expect(answersOf(keys)).toEqual(['401 UNAUTHENTICATED']);
});

describe('trick play', () => {
  const iFrameFiles = (files: readonly { path: string }[]) =>
    files.filter(({ path }) => /\/i-frames-index\/\d+\./.test(path));

  it('trick play of Shaka Player loads encrypted I-frames and decrypts them with the keys of the film', async () => {
    const film = await stage.screen('fmp4');
    const { result, keys, files } = await stage.watch(film, () =>
      play('shaka', film, { place: 'header', iFrames: true }),
    );
    expect(result).toMatchObject(ended);
    expect(iFrameFiles(files).length).toBeGreaterThan(2);
    expect(answersOf(keys)).toEqual(['200']);
    expect(servedPaths(keys).length).toBeGreaterThanOrEqual(3);
  });

  it('hls.js shows an encrypted I-frame in a second video', async () => {
    const film = await stage.screen('fmp4');
    const { result, keys, files } = await stage.watch(film, () =>
      play('hls', film, { place: 'header', iFrames: true, until: 'seen.fastWidth > 0 || seen.failed' }),
    );
    expect(result).toMatchObject({ errors: [], fastWidth: 160 });
    expect(iFrameFiles(files).length).toBeGreaterThan(0);
    expect(answersOf(keys)).toEqual(['200']);
  });
});

describe('video.js', () => {
  it('video.js fetches the key for each segment, so that RATE_LIMIT=on stops it', async () => {
    const film = await stage.screen('ts');
    const { keys } = await stage.watch(film, () => play('videojs', film, { place: 'header' }));
    expect(keys.length).toBeGreaterThanOrEqual(6);

    const limited = await stage.screen('ts');
    await stage.spendKeyRequests(limited, 2);
    const { result, keys: refused } = await stage.watch(limited, () =>
      play('videojs', limited, { place: 'header', until: 'seen.refused > 1' }),
    );
    expect(answersOf(refused)).toContain('429 RATE_LIMITED');
    expect(result.ended).toBe(false);
  });

  it('video.js repeats a refused key request, and the page gets no error', async () => {
    const film = await stage.screen('ts');
    const until = 'seen.refused > 2';
    const { result, keys } = await stage.watch(film, () => play('videojs', film, { until }));
    expect(answersOf(keys)).toEqual(['401 UNAUTHENTICATED']);
    expect(result).toMatchObject({ ended: false, errors: [], pictures: 0 });
  });

  it('video.js with cacheEncryptionKeys fetches each key once, and plays to the end within the same limit', async () => {
    const film = await stage.screen('ts');
    await stage.spendKeyRequests(film, 3);
    const { result, keys } = await stage.watch(film, () =>
      play('videojs', film, { place: 'header', cacheKeys: true }),
    );
    expect(result).toMatchObject(ended);
    expect(keys).toHaveLength(3);
    expect(answersOf(keys)).toEqual(['200']);
  });
});

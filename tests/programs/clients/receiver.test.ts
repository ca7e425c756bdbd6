import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { changesArrived, revokeLeases } from '@latchkey/support/black-box/server-actions';
import { openSharedBrowser } from '@latchkey/support/black-box/shared-browser';
import { answersOf, readKeyRequests } from '@latchkey/support/playback/key-requests';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { pictures, seconds } from './client-setup.ts';
import { openSessionStage } from './session-stage.ts';

vi.setConfig({ testTimeout: 120_000 });
const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const shaka = join(dirname(fileURLToPath(import.meta.resolve('shaka-player'))), 'shaka-player.compiled.js');

interface Seen {
  errors: string[];
  ended: boolean;
  currentTime: number;
  pictures: number;
}

describe('Shaka Player on a page of an origin that no server lists', async () => {
  const stage = await openSessionStage({
    '/receiver.html': pathOf('receiver.html'),
    '/receiver.js': pathOf('receiver.js'),
    '/shaka-player.js': shaka,
  });
  const browser = await openSharedBrowser();

  async function open(url: string) {
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    await page.goto(`${stage.media.origin}/receiver.html`);
    await page.waitForFunction('window.play');
    await page.evaluate(`void window.play(${JSON.stringify(url)})`);
    return {
      seen: (): Promise<Seen> => page.evaluate('window.seen()'),
      until: (condition: string) =>
        page.waitForFunction(`((seen) => ${condition})(window.seen())`, undefined, { timeout: 60_000 }),
    };
  }

  it.each([
    ['ts', 'film'],
    ['fmp4', 'film'],
    ['ts', 'live'],
    ['fmp4', 'live'],
  ] as const)('Shaka plays %s of a session (%s) to the end by its URL alone', async (container, kind) => {
    const scene = await stage.screen(container, kind);
    const { seen, until } = await open(scene.url);
    await until('seen.ended || seen.errors.length > 0');
    const result = await seen();
    expect(result).toMatchObject({ ended: true, errors: [] });
    expect(result.currentTime).toBeGreaterThan(seconds - 1);
    // A live player may begin some segments later, and a busy machine drops pictures.
    expect(result.pictures).toBeGreaterThan(pictures / 4);
    expect(answersOf(await readKeyRequests(stage.server, scene.contentId))).toEqual(['200']);
  });

  it('Shaka stops at the end of what it had when its session is revoked in the middle of a live channel', async () => {
    const scene = await stage.screen('ts', 'endless');
    const { seen, until } = await open(scene.url);
    await until('seen.currentTime > 0');
    await revokeLeases(stage.server, { leaseId: scene.leaseId });
    await changesArrived(stage.server);
    const shown = stage.media.shownOf(scene.channel);
    const answer = await fetch(scene.url);
    expect(answer.status).toBe(403);
    const segments = stage.media.segments.length;
    await until('seen.errors.length > 0');
    expect((await seen()).currentTime).toBeLessThanOrEqual(2 * (shown + 1));
    expect(stage.media.segments.length).toBeLessThanOrEqual(segments + shown);
  });
});

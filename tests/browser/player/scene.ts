import { randomUUID } from 'node:crypto';
import type { Target } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import type { BrowserContext, Page } from 'playwright-core';
import type { TestContext } from 'vitest';
import {
  type Film,
  keyServerUrl,
  otherKeyServerUrl,
  type PlayerSetup,
  pageOrigin,
  unlistedOrigin,
} from './player-setup.ts';
import { openWire, type Wire } from './wire.ts';

/** An error as `page.js` reports it. */
interface SeenError {
  name: string;
  code: string;
  message: string;
  status?: number;
  leases?: { id: string; deviceId: string | null }[];
}

/** The report of `page.js`. */
interface Seen {
  errors: SeenError[];
  retries: { what: 'key' | 'lease'; code: string }[];
  /** The payloads of the event `keyWait`, and when the page got them, by its own clock. */
  waits: {
    atMs: number;
    code: string;
    url: string;
    delayMs: number;
    opensAt?: string;
    currentEpoch?: number;
  }[];
  /** Ids in order; null for each that was given back or lost. */
  leases: (string | null)[];
  widths: number[];
  /** How often it waited for something while it played. */
  stalls: number;
  /** How often it did so with an empty buffer. */
  starved: number;
  /** From the load to the first frame, once it is shown: at least and at most. */
  firstFrameMs: { least: number; most: number } | null;
  /** For each key, the time from its token until it was there. */
  keyMs: number[];
  /** For each segment, the time from its request until the page was notified, its key included. */
  loadMs: number[];
  /** For each piece that went into the buffer, the time since its segment was there. */
  appendMs: number[];
  ended: boolean;
  metrics: Record<string, number | null>;
  leaseId: string | null;
  currentTime: number;
  duration: number;
  paused: boolean;
  bufferedEnd: number;
}

export interface SceneOptions {
  readonly film: Film;
  /** The server that has the keys. Default: the stage's target. */
  readonly server?: Target;
  readonly viewerId?: string;
  /** The token that `keyServerAuth` returns; undefined for a valid one. */
  readonly token?: (reason: string, count: number) => string | undefined;
  readonly origin?: string;
  /** Further servers that the browser reaches: base URL by host. */
  readonly hosts?: Readonly<Record<string, string>>;
}

/** Options of the player, and how the page uses it. */
interface LoadOptions {
  readonly way?: 'create' | 'attach' | 'attachOnly' | 'shaka';
  /** Absolute URL. Default: the film's. */
  readonly playlist?: string;
  readonly rate?: number;
  readonly leases?: false | { ttlSeconds?: number; deviceId?: string; releaseAfterPausedSeconds?: number };
  /** null: `load()` names no content. Default: the film's. */
  readonly contentId?: string | null;
  readonly keyServerUrl?: string;
  /** The result of a faulty `keyServerAuth` instead of `token`. The page has one for each. */
  readonly auth?: 'undefined' | 'null' | 'a number' | 'an object' | 'an error';
  readonly patienceSeconds?: number;
  readonly reportMetrics?: boolean;
  readonly native?: 'always';
  readonly hlsConfig?: Record<string, unknown>;
  /** Gives the player a clock that `jump` and `letPass` move. */
  readonly hasOwnTime?: boolean;
}

/** One viewer in a browser of its own: a page with a player, and the wire to the servers. */
export interface PlayScene {
  readonly viewerId: string;
  readonly film: Film;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly wire: Wire;
  /** The tokens that the application gave, in order, and for what. */
  readonly given: readonly { reason: string; token: string }[];
  /** @returns what `load()` threw, or null */
  load(options?: LoadOptions): Promise<SeenError | null>;
  /** Loads and plays. @throws Error if `load()` fails */
  play(options?: LoadOptions): Promise<void>;
  seen(): Promise<Seen>;
  /** The player's machine sleeps for this long. */
  jump(durationMs: number): Promise<void>;
  /** Everything that the player does within this time happens now. `given` then has the tokens for all of it. */
  letPass(durationMs: number): Promise<void>;
  /** @param condition a script about `seen`, which is a `Seen`. @returns its value once the condition holds */
  until(condition: string): Promise<Seen>;
  openPage(): Promise<Page>;
}

const untilTimeoutMs = 60_000;
/** Several processes on a busy machine sometimes answer 503, which these tests are not about. */
const triesOfSeveral = 4;

/** A token that no other request has. */
export function freshToken(server: Target, viewerId: string, claims: Record<string, unknown> = {}): string {
  return viewerToken(server.jwtSecret, viewerId, { jti: randomUUID(), ...claims });
}

const hostsOf = (mediaUrl: string, serverUrl: string) => ({
  [new URL(pageOrigin).host]: mediaUrl,
  [new URL(unlistedOrigin).host]: mediaUrl,
  [new URL(keyServerUrl).host]: serverUrl,
  [new URL(otherKeyServerUrl).host]: serverUrl,
});

/** Opens the page; it is closed when the test is over. */
export async function openScene(
  stage: PlayerSetup,
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  options: SceneOptions,
): Promise<PlayScene> {
  const { film, server = stage.target, viewerId = unique('viewer'), origin = pageOrigin } = options;
  const hosts = hostsOf(stage.mediaUrl, server.url);
  const wire = await openWire({ ...hosts, ...options.hosts }, server.propagationMs > 0 ? triesOfSeveral : 1);
  const context = await stage.browser.newContext({ proxy: { server: wire.proxy } });
  context.setDefaultTimeout(untilTimeoutMs);
  onTestFinished(async () => {
    await context.close();
    wire.close();
  });
  const given: { reason: string; token: string }[] = [];
  await context.exposeFunction('giveToken', (reason: string) => {
    const token =
      options.token?.(reason, given.length) ??
      freshToken(server, viewerId, { content_ids: [film.contentId] });
    given.push({ reason, token });
    return token;
  });
  await context.exposeFunction('reachTest', () => {});

  async function openPage(): Promise<Page> {
    const page = await context.newPage();
    await page.goto(`${origin}/page.html`);
    await page.waitForFunction('window.isReady');
    return page;
  }

  const page = await openPage();
  const load = (more: LoadOptions = {}): Promise<SeenError | null> => {
    const all = { playlist: `${origin}${film.playlist}`, contentId: film.contentId, keyServerUrl, ...more };
    return page.evaluate(`window.load(${JSON.stringify(all)})`);
  };
  const seen = (): Promise<Seen> => page.evaluate('window.seen()');
  return {
    viewerId,
    film,
    context,
    page,
    wire,
    given,
    load,
    async play(more) {
      const error = await load(more);
      if (error) throw new Error(`not loaded: ${JSON.stringify(error)}`);
      await page.evaluate('document.querySelector("video").play()');
    },
    seen,
    jump: (durationMs) => page.evaluate(`jump(${durationMs})`),
    letPass: (durationMs) => page.evaluate(`letPass(${durationMs})`),
    async until(condition) {
      const expression = `((seen) => (${condition}) && seen)(window.seen())`;
      try {
        const found = await page.waitForFunction(expression, undefined, { polling: 50 });
        return (await found.jsonValue()) as Seen;
      } catch (cause) {
        throw new Error(`not true: ${condition}; ${JSON.stringify(await seen())}`, { cause });
      }
    },
    openPage,
  };
}

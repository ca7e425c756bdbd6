import type Hls from 'hls.js';
import type { HlsConfig } from 'hls.js';
import type { Clock } from './clock.ts';

/** What a token is asked for. After a 401 the application is asked again, once, with `retry-after-401`. */
export type AuthReason = 'key' | 'lease' | 'metrics' | 'retry-after-401';

/**
 * Gives the viewer's token, without `Bearer`. Called for each key request and each lease call: give a token that is
 * valid now. An empty string sends none; anything else than a string ends playback. A rejection, or no token within 8 s,
 * counts as a failure that may pass; throw a `PlayerError` to end playback.
 */
export type KeyServerAuth = (why: { reason: AuthReason }) => string | Promise<string>;

export interface LeaseOptions {
  /** Life to ask for; the server may give less. Left out, the server decides. */
  readonly ttlSeconds?: number;
  /**
   * Names this player among the viewer's leases, as told with `LEASE_LIMIT_REACHED`. Players with the same name share a
   * lease, and one that closes ends it for all: left out, each player has a name of its own.
   */
  readonly deviceId?: string;
  /**
   * A video that is paused for longer gives its lease back, so that the viewer's other devices may have it, and takes a new
   * one when it is played again. `Infinity` keeps it. Default: 120. A video that has ended gives it back at once.
   */
  readonly releaseAfterPausedSeconds?: number;
}

/** What is the same for every way to play. */
export interface KeyServerOptions {
  /** Where the key server is, as an absolute URL, such as `https://keys.example.com`. */
  readonly keyServerUrl: string;
  readonly keyServerAuth: KeyServerAuth;
  /** `false` takes no lease. Default: one for the content that plays. */
  readonly leases?: false | LeaseOptions;
  /**
   * How long nothing can be played for want of the key server before that is an error. Also the longest time for which a
   * server's `Retry-After` is obeyed. Default: 60.
   */
  readonly patienceSeconds?: number;
  /** For tests. */
  readonly fetch?: typeof globalThis.fetch;
  readonly clock?: Clock;
  readonly random?: () => number;
}

export interface AttachOptions extends KeyServerOptions {
  /** Sends the eight figures to `POST /api/v1/player-metrics` when a content is over or the page is left. */
  readonly reportMetrics?: boolean;
  /** `attach` only, and only where the application calls `hls.loadSource` itself. Else the first key's URL tells. */
  readonly contentId?: string;
}

export interface PlayerOptions extends AttachOptions {
  readonly video: HTMLVideoElement;
  readonly hlsConfig?: Partial<HlsConfig>;
  /** Another build of hls.js. */
  readonly Hls?: typeof Hls;
  /** The browser's own HLS: where hls.js cannot play (`auto`, the default), never, or always. */
  readonly native?: 'auto' | 'never' | 'always';
}

/** A minute: longer than a server takes to be replaced, shorter than a viewer waits in front of a still picture. */
const defaultPatienceSeconds = 60;

/**
 * How long a viewer waits for the key server.
 *
 * @throws TypeError for a `patienceSeconds` that is not a number of 0 or more
 */
export function patienceMsOf({ patienceSeconds = defaultPatienceSeconds }: KeyServerOptions): number {
  return msOfSeconds('patienceSeconds', patienceSeconds);
}

/**
 * An option that counts seconds. A `NaN`, such as of a missing setting, would make waits end at once: requests without a pause.
 *
 * @returns milliseconds, `Infinity` included
 * @throws TypeError for anything other than a number of 0 or more
 */
export function msOfSeconds(name: string, seconds: number): number {
  if (typeof seconds === 'number' && seconds >= 0) return seconds * 1_000;
  throw new TypeError(`${name} has to be a number of seconds, 0 or more, not ${String(seconds)}.`);
}

/** The page's `fetch`, unless a test gives another. Looked up late, since a page may replace its own. */
export function fetchOf({ fetch }: KeyServerOptions): typeof globalThis.fetch {
  return fetch ?? ((input, init) => globalThis.fetch(input, init));
}

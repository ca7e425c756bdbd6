import type Hls from 'hls.js';
import type { HlsConfig } from 'hls.js';
import { attempt } from './attempt.ts';
import type { Clock } from './clock.ts';

/** The purpose of a token. After a 401 the application is called once more, with `retry-after-401`. */
export type AuthReason = 'key' | 'lease' | 'metrics' | 'retry-after-401';

/**
 * Returns the viewer's token, without `Bearer`. Called for each key request and each lease request: return a token that is
 * valid now. An empty string sends no token. Anything but a string ends playback. A rejection, or no token within 8 s, is
 * retried. Throw a `PlayerError` to end playback.
 */
export type KeyServerAuth = (why: { reason: AuthReason }) => string | Promise<string>;

export interface LeaseOptions {
  /** Requested life of a lease. The server may give less. Default: the server decides. */
  readonly ttlSeconds?: number;
  /**
   * Names this player among the viewer's leases, for example in `LEASE_LIMIT_REACHED`. Players with the same name share a
   * lease, and one that closes ends it for all. Default: each player has its own name.
   */
  readonly deviceId?: string;
  /**
   * A video that is paused for longer releases its lease, so that the viewer's other devices may have it. It takes a new one
   * when it is played again. `Infinity` keeps it. Default: 120. A video that has ended releases it at once.
   */
  readonly releaseAfterPausedSeconds?: number;
}

export interface KeyServerOptions {
  /** Absolute URL of the key server, such as `https://keys.example.com`. */
  readonly keyServerUrl: string;
  readonly keyServerAuth: KeyServerAuth;
  /** `false` takes no lease. Default: one for the content that plays. */
  readonly leases?: false | LeaseOptions;
  /**
   * How long playback may be stopped by a lost key server before that is an error. Also the longest `Retry-After` that is
   * obeyed. Default: 60.
   */
  readonly patienceSeconds?: number;
  /** For tests. */
  readonly fetch?: typeof globalThis.fetch;
  readonly clock?: Clock;
  readonly random?: () => number;
}

export interface AttachOptions extends KeyServerOptions {
  /** Sends the eight figures to `POST /api/v1/player-metrics` when a content ends or the page is left. */
  readonly reportMetrics?: boolean;
  /**
   * Offers AirPlay in Safari, where hls.js plays: a playback session is made for the receiver as soon as one is near. It counts as a
   * device of the viewer. For `attach`, set `preferManagedMediaSource` of hls.js yourself. Default: false.
   */
  readonly airPlay?: boolean;
  /** For `attach`, if the application calls `hls.loadSource` itself. Default: the content of the first key. */
  readonly contentId?: string;
}

export interface PlayerOptions extends AttachOptions {
  readonly video: HTMLVideoElement;
  readonly hlsConfig?: Partial<HlsConfig>;
  /** A build of hls.js, such as `hls.js/light`. Default: `hls.js`, loaded if this browser needs it. `player.hls` is null until then. */
  readonly Hls?: typeof Hls;
  /**
   * The browser's own HLS: where hls.js cannot play (`auto`, the default), never, or always. It plays a playback session of the content,
   * which is the content's `playlistUrl` on the key server.
   */
  readonly native?: 'auto' | 'never' | 'always';
}

/** A minute: longer than the replacement of a server takes, shorter than a viewer waits. */
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
 * Reads an option in seconds. `NaN`, such as of a missing setting, would end waits at once: requests without a pause.
 *
 * @returns milliseconds, `Infinity` included
 * @throws TypeError for anything other than a number of 0 or more
 */
export function msOfSeconds(name: string, seconds: number): number {
  if (typeof seconds === 'number' && seconds >= 0) return seconds * 1_000;
  throw new TypeError(`${name} has to be a number of seconds, 0 or more, not ${String(seconds)}.`);
}

/** @throws TypeError for anything but a `<video>`, such as the `null` of a query that finds none */
export function requireVideo(video: Partial<HTMLVideoElement> | null | undefined): void {
  if (typeof video?.canPlayType === 'function') return;
  throw new TypeError(`video has to be a <video> element, not ${kindOf(video)}.`);
}

/** @throws TypeError for anything but an absolute http or https URL */
export function requireKeyServerUrl(keyServerUrl: unknown): void {
  if (
    typeof keyServerUrl === 'string' &&
    /^https?:$/.test(attempt(() => new URL(keyServerUrl).protocol) ?? '')
  )
    return;
  const given = typeof keyServerUrl === 'string' ? `"${keyServerUrl}"` : kindOf(keyServerUrl);
  throw new TypeError(
    `keyServerUrl has to be an absolute http or https URL, such as https://keys.example.com, not ${given}.`,
  );
}

/** For a message that does not quote the value. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return `${typeof value === 'object' ? 'an' : 'a'} ${Array.isArray(value) ? 'array' : typeof value}`;
}

/** The page's `fetch`, unless a test gives another. Looked up late, since a page may replace its own. */
export function fetchOf({ fetch }: KeyServerOptions): typeof globalThis.fetch {
  return fetch ?? ((input, init) => globalThis.fetch(input, init));
}

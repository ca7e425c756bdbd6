import { type Clock, systemClock } from './clock.ts';
import { leadSeconds } from './early-moment.ts';
import { type KeyWait, toKeyWait } from './emitter.ts';
import { createFetchPlan, type FetchPlan } from './fetch-plan.ts';
import { createKeyServer, type KeyServer } from './key-server.ts';
import { createKeyStore } from './key-store.ts';
import { nextKeyUrl } from './key-url.ts';
import { createDeviceId } from './lease.ts';
import { isKeyWait, PlayerError } from './player-error.ts';
import { type KeyServerOptions, patienceMsOf } from './player-options.ts';
import { createPatience } from './retry.ts';
import { createSessionLeases, type SessionLeases } from './session-leases.ts';
import { createIdleWatch, watchPage } from './viewer-watch.ts';

export interface ShakaOptions extends KeyServerOptions {
  /** The content that the lease is for. Default: the content of the first key. */
  readonly contentId?: string;
  /**
   * With it, the lease is released while the video has ended or is paused for `releaseAfterPausedSeconds`, and `patienceSeconds`
   * counts only while nothing can be played.
   */
  readonly video?: HTMLVideoElement;
  /** Playback has ended, for example by a revocation: say so, and unload. */
  readonly onError?: (error: PlayerError) => void;
  /** The server has said when it serves a key that is needed. The filter asks again by itself. */
  readonly onKeyWait?: (wait: KeyWait) => void;
}

interface LoadedKey {
  readonly key: ArrayBuffer;
  /** For a request of Shaka's own. An empty token and an undefined lease are not sent. */
  readonly credentials: () => Promise<{ token: string; leaseId: string | undefined }>;
}

/** The leases and keys of one Shaka Player, one playback after another. */
interface ShakaSession {
  /** @throws PlayerError, which `onError` gets too */
  load(keyUrl: string, contentId: string): Promise<LoadedKey>;
  /** A playlist or manifest is requested. */
  notePlaylist(url: string): void;
  /** Releases the leases. The next key starts again. Never fails. */
  release(): Promise<void>;
}

/**
 * Keys that are waited for at once. Shaka does not say which it has given up after a seek, and those would use up the pace of the
 * content. It needs one for each kind of playlist (picture, sound, text), and at the end of a period the next ones.
 */
const maxPending = 6;
/** Shaka fills its buffer at the start, and then asks for keys faster than they are played. */
const leastPeriodMs = 1_000;

export function createShakaSession(options: ShakaOptions): ShakaSession {
  const { clock = systemClock, video } = options;
  const server = createKeyServer(options);
  const common = { options, server, deviceId: createDeviceId(), patienceMs: patienceMsOf(options) };
  const idle = createIdleWatch(clock, options, () => playback.leases);
  const begin = () => beginPlayback({ ...common, onWoken: idle.begin });
  let playback = begin();
  let unwatchPage: (() => void) | undefined;

  function watchLeaving(): () => void {
    if (video) idle.watch(video);
    return watchPage({
      onHide: () => playback.leases.releaseNow(),
      onReturn: () => playback.leases.isResting || playback.leases.wake(),
    });
  }

  return {
    async load(keyUrl, contentId) {
      const { keys, leases, waiting, note } = playback;
      if (options.leases !== false) unwatchPage ??= watchLeaving();
      note(keyUrl);
      const key = await waiting.during(keyUrl, (signal) => keys.get(keyUrl, signal, contentId));
      const credentials = async () => ({
        token: await server.token('key'),
        leaseId: await leases.keeperFor(keyUrl, contentId)?.leaseId(),
      });
      return { key, credentials };
    },
    notePlaylist: (url) => playback.note(url, true),
    async release() {
      unwatchPage?.();
      unwatchPage = undefined;
      idle.stop();
      const { leases, ending } = playback;
      ending.abort(new PlayerError('ABORTED', 'The lease was given back.'));
      playback = begin();
      await leases.end();
    },
  };
}

interface PlaybackPorts {
  readonly options: ShakaOptions;
  readonly server: KeyServer;
  readonly deviceId: string;
  readonly patienceMs: number;
  readonly onWoken: () => void;
}

function beginPlayback({ options, patienceMs, ...ports }: PlaybackPorts) {
  const { clock = systemClock, random = Math.random, video } = options;
  const isStarving = () => !video || video.readyState < video.HAVE_FUTURE_DATA;
  const patience = {
    ...{ clock, random, maxRetryAfterMs: patienceMs },
    givesUp: createPatience(clock, patienceMs, isStarving),
  };
  const ending = new AbortController();
  function fail(error: PlayerError) {
    if (ending.signal.aborted) return;
    ending.abort(error);
    leases.fail(error);
    options.onError?.(error);
  }
  const leases: SessionLeases = createSessionLeases({
    ...{ ...ports, ...patience, options },
    contentId: options.contentId,
    onChange: () => {},
    onRetry: () => {},
    onLost: fail,
  });
  const keys = createKeyStore({
    ...{ ...ports, ...patience, leases, handedOut: new Set<string>(), ended: ending.signal },
    onAttempt: () => {},
    onRefused: fail,
    onRetry(error, _, delayMs, url) {
      if (isKeyWait(error)) options.onKeyWait?.(toKeyWait(url, error, delayMs));
    },
  });
  const plan = createFetchPlan({ clock, random, session: { keys, leases } });
  const note = createGuess(plan, clock, (url) => nextKeyUrl(url, options.keyServerUrl));
  return { ending, leases, keys, note, waiting: createWaiting() };
}

/** Keys that are waited for. The one that was requested first is given up if there are too many. */
function createWaiting() {
  const waiting = new Map<string, AbortController>();
  return {
    async during<T>(url: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const wanted = waiting.get(url) ?? new AbortController();
      waiting.delete(url);
      waiting.set(url, wanted);
      const [oldest] = waiting;
      if (oldest && waiting.size > maxPending) {
        waiting.delete(oldest[0]);
        oldest[1].abort();
      }
      try {
        return await work(wanted.signal);
      } finally {
        if (waiting.get(url) === wanted) waiting.delete(url);
      }
    },
  };
}

/**
 * Fetches the key of the next epoch of a live stream ahead. A filter sees no playlists: that the stream is live shows in a playlist that
 * is requested again, and how long a period is in the time between the needs for two keys. On demand, the epoch after the last one
 * would be requested too, and refused.
 *
 * @param nextOf the key URL of the next epoch
 * @returns notes that a key is needed, or that a playlist is requested
 */
function createGuess(plan: FetchPlan, clock: Clock, nextOf: (url: string) => string | undefined) {
  const playlists = new Set<string>();
  let last: { url: string; atMs: number } | undefined;
  let isLive = false;
  let isServedAhead = true;
  return (url: string, isPlaylist = false) => {
    if (isPlaylist) {
      // A live stream may ask for a part of a playlist (RFC 8216 bis, section 6.2.5.1).
      const [path = ''] = url.split('?');
      isLive ||= playlists.has(path);
      playlists.add(path);
      return;
    }
    if (url === last?.url) return;
    const nowMs = clock.now();
    const periodMs = last && nextOf(last.url) === url ? nowMs - last.atMs : 0;
    last = { url, atMs: nowMs };
    const next = nextOf(url);
    if (next === undefined || periodMs < leastPeriodMs || !isServedAhead || !isLive) return;
    const delaySecondsOf = (share: number) => {
      const periodSeconds = periodMs / 1_000;
      return periodSeconds - leadSeconds(periodSeconds, share);
    };
    plan.fetch(next, delaySecondsOf, (code) => {
      if (code === 'EPOCH_NOT_YET') isServedAhead = false;
    });
  };
}

import { isOver } from './lease-keeper.ts';
import type { Engine, PlayerCore } from './player-core.ts';
import { PlayerError, toPlayerError } from './player-error.ts';
import { playlistType } from './playlist-type.ts';
import type { Session } from './session.ts';
import { watchVideo } from './watch-playback.ts';

/** A source that fails later than this is shown again. If it fails again this soon, it has another fault. */
const shortestPlayMs = 30_000;

/** Whether the browser plays HLS by itself. */
export function playsNatively(video: HTMLVideoElement): boolean {
  return video.canPlayType(playlistType) !== '';
}

/**
 * Plays with the browser's own HLS. Scripts cannot add headers there, so the leases are playback sessions, and the video plays their
 * URLs. A lease that is replaced gives another URL, which goes on at the same place.
 */
export function createNativeEngine(video: HTMLVideoElement, core: PlayerCore): Engine {
  const listening = new AbortController();
  const { signal } = listening;
  const videoWatch = watchVideo(video, core.metrics);
  let shown: { readonly url: string; readonly atMs: number } | undefined;
  const resumption = createResumption();

  function show(url: string) {
    const { currentTime, paused, duration } = video;
    const goesOn = shown !== undefined || resumption.isDue();
    shown = { url, atMs: core.clock.now() };
    video.src = url;
    // A live stream goes on at its end.
    if (goesOn)
      playOnceLoaded(video, duration === Number.POSITIVE_INFINITY ? 0 : currentTime, paused, signal);
  }

  /** @throws PlayerError: why the video failed */
  async function goOn(failed: NonNullable<typeof shown>): Promise<void> {
    const { session, clock, server } = core;
    const wasShort = clock.now() - failed.atMs < shortestPlayMs;
    const failure = toMediaFailure(video.error);
    try {
      // The browser does not tell what the server answered.
      await session?.patiently(() => server.send({ url: failed.url, reason: 'lease', withoutToken: true }));
    } catch (thrown) {
      const error = toPlayerError(thrown);
      // The machine slept, or the session has reached its longest life. A renewal is refused then, and makes another one.
      if (wasShort || !(isOver(error) || error.serverCode === 'INVALID_SESSION')) throw error;
      await session?.leases.check();
    }
    if (session !== core.session || shown !== failed) return;
    if (wasShort) throw failure;
    show(failed.url);
  }

  function onError() {
    const { session } = core;
    // A session that was released while no one watches is made again by `play()`.
    if (!shown || !session || session.leases.isResting) return;
    goOn(shown).catch((error) => signal.aborted || session.fail(toPlayerError(error)));
  }

  video.addEventListener('error', onError, { signal });
  core.idle.watch(video);
  return {
    hls: null,
    video,
    playUrl: show,
    async load() {
      const { session } = core;
      shown = undefined;
      resumption.begin(session?.leases.contentId);
      videoWatch.begin();
      // No key names the content here.
      session?.leases.named([]);
      if (session?.leases.contentId === undefined) throw withoutContent(session);
    },
    stop() {
      shown = undefined;
      resumption.failed(core.session?.leases.contentId);
    },
    destroy() {
      listening.abort();
      videoWatch.stop();
      video.removeAttribute('src');
      video.load();
    },
  };
}

/** If an error has ended playback and the next load is of the same content, playback resumes at the same position. */
function createResumption() {
  let ended: string | undefined;
  let isDue = false;
  return {
    begin(contentId: string | undefined) {
      isDue = ended !== undefined && ended === contentId;
      ended = undefined;
    },
    failed(contentId: string | undefined) {
      ended = contentId;
    },
    /** Once for each load. */
    isDue() {
      const wasDue = isDue;
      isDue = false;
      return wasDue;
    },
  };
}

function playOnceLoaded(video: HTMLVideoElement, currentTime: number, paused: boolean, signal: AbortSignal) {
  const seek = () => {
    if (currentTime > 0) video.currentTime = currentTime;
    if (!paused) video.play().catch(() => {});
  };
  video.addEventListener('loadedmetadata', seek, { once: true, signal });
}

function withoutContent(session: Session | undefined): PlayerError {
  const error = new PlayerError('UNSUPPORTED', 'Native HLS needs a contentId.');
  session?.fail(error);
  return error;
}

function toMediaFailure(error: MediaError | null): PlayerError {
  const message = `The browser cannot play this: ${error?.message || `code ${error?.code}`}`;
  // 2 is MEDIA_ERR_NETWORK.
  return new PlayerError(error?.code === 2 ? 'MEDIA_NETWORK' : 'MEDIA_DECODE', message);
}

import { AppError } from '@latchkey/shared/errors';
import { explainError } from '../explain-error.ts';
import { SourceUnavailable } from '../source/request-source.ts';
import { followStep, pauseOf, targetSecondsOf } from './follow-rendition.ts';
import type { Follower } from './follower.ts';
import type { ChannelLookup } from './load-channel.ts';
import { hasStarted } from './rendition-state.ts';

/** After an error, so that a full disk does not fill the log. */
const retrySeconds = 1;
/** The session or the signature in the address of a playlist has ended, or the playlist has another name now. */
const endedStatuses: ReadonlySet<number | undefined> = new Set([401, 403, 404, 410]);
/** Some servers keep the playlist of a session that has ended. */
const stillTargets = 3;

/**
 * Follows a rendition until its source ends. A playlist that has ended or stands still is looked up anew from the address that was given.
 *
 * @throws AppError `VALIDATION_FAILED` if nothing of the source can be used, or the reason of `tools.signal`
 */
export async function keepFollowing(follower: Follower, lookup: ChannelLookup): Promise<void> {
  const { options, tools, folder } = follower;
  const { signal, warn, wait } = tools;
  for (;;) {
    signal.throwIfAborted();
    try {
      // Before the look, not after it: a redirect may lead to the address that was just asked.
      if (standsStill(follower)) await renew(follower, lookup, 'has not changed for some time');
      if (await followStep(follower)) return;
      await wait(pauseOf(follower), signal);
    } catch (error) {
      signal.throwIfAborted();
      const isRefused = error instanceof AppError && error.status === 400;
      if (isRefused && !hasStarted(folder.state)) throw error;
      const fault = explainError(error);
      if (error instanceof SourceUnavailable) {
        // The packager may start again before the next look.
        follower.verify = true;
        follower.playlist.forget();
        if (endedStatuses.has(error.status) && (await renew(follower, lookup, fault))) continue;
      }
      warn(`${options.name}: ${fault}; its playlist stands still`);
      await wait(Math.max(retrySeconds, pauseOf(follower)), signal);
    }
  }
}

function standsStill(follower: Follower): boolean {
  const { tools, window, changedAt, renewedAt } = follower;
  const stillMs = tools.clock.monotonic() - Math.max(changedAt, renewedAt);
  return !window?.ended && stillMs >= stillTargets * targetSecondsOf(follower) * 1_000;
}

/** @returns whether the playlist is read elsewhere from now on */
async function renew(follower: Follower, lookup: ChannelLookup, reason: string): Promise<boolean> {
  const { options, tools, playlist } = follower;
  follower.renewedAt = tools.clock.monotonic();
  try {
    const found = await lookup.renew(options.name, playlist, targetSecondsOf(follower));
    if (found === undefined) return false;
    tools.warn(`${options.name}: its playlist was looked up anew (${reason})`);
    playlist.move(found);
    follower.verify = true;
    return true;
  } catch (error) {
    tools.signal.throwIfAborted();
    tools.warn(`${options.name}: its playlist cannot be looked up anew (${explainError(error)})`);
    return false;
  }
}

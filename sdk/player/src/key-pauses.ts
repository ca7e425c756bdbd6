import type { PlayerError } from './player-error.ts';
import { pauseAfter, type RetryOptions, type WaitOptions, waitPatiently } from './retry.ts';

/** How long the server's answers ask the player to wait before further key requests. */
export interface KeyPauses {
  /** Whether there is a pause for this key. */
  holds(url: string): boolean;
  /**
   * Waits until there is no pause for this key.
   *
   * @param onWait with the error that asked for the pause, and the milliseconds that are left
   * @throws PlayerError, that error, if `givesUp` says so; the signal's reason once it is aborted
   */
  wait(
    url: string,
    options: WaitOptions,
    onWait: (error: PlayerError, leftMs: number) => void,
  ): Promise<void>;
  /** @param error transient, of a request for this key. Without a `Retry-After` it asks for no pause */
  note(url: string, error: PlayerError): void;
}

interface Pause {
  /** How the URLs of the keys begin for which it holds. */
  readonly scope: string;
  readonly untilMs: number;
  readonly error: PlayerError;
}

export function createKeyPauses(
  ports: Pick<RetryOptions, 'clock' | 'random' | 'maxRetryAfterMs'>,
): KeyPauses {
  const { clock } = ports;
  let pauses: Pause[] = [];

  /** The pause for a key that ends last. */
  function find(url: string): Pause | undefined {
    pauses = pauses.filter(({ untilMs }) => untilMs > clock.now()).sort((a, b) => b.untilMs - a.untilMs);
    return pauses.find(({ scope }) => url.startsWith(scope));
  }

  return {
    holds: (url) => find(url) !== undefined,
    async wait(url, options, onWait) {
      for (let pause = find(url); pause; pause = find(url)) {
        const leftMs = pause.untilMs - clock.now();
        onWait(pause.error, leftMs);
        if (!(await waitPatiently(leftMs, options))) throw pause.error;
      }
    },
    note(url, error) {
      // A wait that was given up throws what asked for it.
      if (pauses.some((pause) => pause.error === error)) return;
      pauses.push({
        scope: scopeOf(url, error.code),
        untilMs: clock.now() + pauseAfter(error, ports),
        error,
      });
    },
  };
}

/** @returns how the URLs of the keys begin for which an answer holds: this epoch, this content, or all */
function scopeOf(url: string, code: PlayerError['code']): string {
  // A longer number that begins with the same digits is a later epoch, which is served even later.
  if (code === 'EPOCH_NOT_YET') return url;
  return code === 'KEY_PACE_EXCEEDED' ? url.slice(0, url.lastIndexOf('/') + 1) : '';
}

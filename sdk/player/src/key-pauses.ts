import type { PlayerError } from './player-error.ts';
import { pauseAfter, type RetryOptions } from './retry.ts';

/** How long the server's answers ask the player to wait before further key requests. */
export interface KeyPauses {
  /** The pause that ends last of those that hold for this key; undefined without one. */
  of(url: string): { readonly leftMs: number; readonly error: PlayerError } | undefined;
  /** @param error transient, of a request for this key */
  note(url: string, error: PlayerError): void;
}

export function createKeyPauses(
  ports: Pick<RetryOptions, 'clock' | 'random' | 'maxRetryAfterMs'>,
): KeyPauses {
  let pauses: { readonly scope: string; readonly untilMs: number; readonly error: PlayerError }[] = [];
  return {
    of(url) {
      const nowMs = ports.clock.now();
      pauses = pauses.filter(({ untilMs }) => untilMs > nowMs).sort((a, b) => b.untilMs - a.untilMs);
      const found = pauses.find(({ scope }) => url.startsWith(scope));
      return found && { leftMs: found.untilMs - nowMs, error: found.error };
    },
    note(url, error) {
      if (error.retryAfterMs <= 0) return;
      const untilMs = ports.clock.now() + pauseAfter(error, ports);
      pauses.push({ scope: scopeOf(url, error.code), untilMs, error });
    },
  };
}

/** @returns how the URLs of the keys begin for which an answer holds: this epoch, this content, or all */
function scopeOf(url: string, code: PlayerError['code']): string {
  // A longer number that begins with the same digits is a later epoch, which is served even later.
  if (code === 'EPOCH_NOT_YET') return url;
  return code === 'KEY_PACE_EXCEEDED' ? url.replace(/[^/]*$/, '') : '';
}

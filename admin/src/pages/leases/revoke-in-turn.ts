import { ApiError } from '../../api/api-error.ts';
import { waitSecondsOf } from '../../api/rate-limit.ts';

/** The results for the targets so far. */
export interface Progress<Target> {
  done: number;
  /** Leases that ended. */
  revoked: number;
  failed: readonly { target: Target; error: unknown }[];
}

/** More than a person pastes, and few enough that one by one they take seconds. */
export const mostTargets = 1_000;

/** The IDs of a pasted list: one a line, without spaces around them, each once. */
export function readList(text: string): string[] {
  return [...new Set(text.split(/[\r\n]+/).map((line) => line.trim()))].filter((line) => line !== '');
}

interface RevokeOptions<Target> {
  revoke: (target: Target) => Promise<{ revoked: number }>;
  onProgress: (progress: Progress<Target>) => void;
  /** Waits before a target is tried again. */
  pause: (ms: number) => Promise<void>;
  signal: AbortSignal;
}

/**
 * Revokes one target after the other. After a 429 it waits as long as the server says, and goes on. Another failure is noted, and the rest
 * is revoked all the same.
 */
export async function revokeInTurn<Target>(
  targets: readonly Target[],
  { revoke, onProgress, pause, signal }: RevokeOptions<Target>,
): Promise<Progress<Target>> {
  let progress: Progress<Target> = { done: 0, revoked: 0, failed: [] };
  while (progress.done < targets.length && !signal.aborted) {
    const target = targets[progress.done] as Target;
    try {
      const { revoked } = await revoke(target);
      progress = { ...progress, revoked: progress.revoked + revoked };
    } catch (error) {
      if (error instanceof ApiError && error.status === 429) {
        await pause(waitSecondsOf(error.retryAfterSeconds) * 1_000);
        continue;
      }
      progress = { ...progress, failed: [...progress.failed, { target, error }] };
    }
    progress = { ...progress, done: progress.done + 1 };
    onProgress(progress);
  }
  return progress;
}

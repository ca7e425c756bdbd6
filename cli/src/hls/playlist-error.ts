import { AppError } from '@latchkey/shared/errors';

/** Where in which playlist: `variant.m3u8:12`. */
export interface Place {
  /** The playlist as the user knows it: its path. */
  readonly playlist: string;
  /** Counted from 1; undefined where the playlist as a whole is meant. */
  readonly line?: number;
}

/** The playlist cannot be encrypted as it stands: `VALIDATION_FAILED`, with the place and what to do about it. */
export function playlistError(place: Place, detail: string, cause?: unknown): AppError {
  const where = place.line === undefined ? place.playlist : `${place.playlist}:${place.line}`;
  return new AppError('VALIDATION_FAILED', { detail: `${where}: ${detail}`, cause });
}

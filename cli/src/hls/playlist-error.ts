import type { AppError } from '@latchkey/shared/errors';
import { refusal } from '../refusal.ts';
import { showUrl } from '../show-url.ts';

/** Where in which playlist: `variant.m3u8:12`. */
export interface Place {
  /** The playlist as the user knows it: its path. */
  readonly playlist: string;
  /** Counted from 1; undefined for the whole playlist. */
  readonly line?: number;
}

/** `VALIDATION_FAILED` for a playlist that cannot be encrypted. @param detail what is wrong and what to do */
export function playlistError(place: Place, detail: string, cause?: unknown): AppError {
  const playlist = showUrl(place.playlist);
  const where = place.line === undefined ? playlist : `${playlist}:${place.line}`;
  return refusal(`${where}: ${detail}`, cause);
}

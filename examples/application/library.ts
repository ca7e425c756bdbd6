import { Refusal } from './refusal.ts';
import type { User } from './sessions.ts';

/** A film or a live channel. */
export interface Film {
  /** Its id on the key server. */
  readonly contentId: string;
  readonly title: string;
  /** URL of the encrypted playlist, on your CDN. */
  readonly playlist: string;
  readonly isLive: boolean;
  /** Whether every subscriber may watch it, and not only the administrators. */
  readonly isForSubscribers: boolean;
  /** False while its files are being uploaded. */
  readonly isPublished: boolean;
}

/** The films, in memory. Replace it by your own catalogue. */
export interface Library {
  list(): Film[];
  /** @throws Refusal if there is no such film */
  find(contentId: string): Film;
  /** Adds a film, or replaces the one with the same id. */
  put(film: Film): void;
}

/** The one decision: the application gives tokens to users who may watch, and to nobody else. */
export function mayWatch(user: User, film: Film): boolean {
  return film.isPublished && (user.isAdmin || film.isForSubscribers);
}

export function createLibrary(films: readonly Film[]): Library {
  const byId = new Map(films.map((film) => [film.contentId, film]));
  return {
    list: () => [...byId.values()],
    find(contentId) {
      const film = byId.get(contentId);
      if (!film) throw new Refusal(404, 'NO_SUCH_FILM', 'There is no such film.');
      return film;
    },
    put: (film) => void byId.set(film.contentId, film),
  };
}

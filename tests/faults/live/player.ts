/** What a viewer of one player noticed since the first picture. */
export interface Seen {
  /** Media that was played. */
  readonly mediaSeconds: number;
  readonly wallSeconds: number;
  /** Longest time without a new picture. */
  readonly standstillMs: number;
  /** Times that the player itself said that it waits for media, or left out some. */
  readonly interruptions: number;
  readonly notes: readonly string[];
  readonly errors: readonly string[];
}

/** A player of one channel with one viewer's token. */
export interface Player {
  readonly name: string;
  readonly kind: PlayerKind;
  readonly viewerId: string;
  readonly contentId: string;
  readonly token: string;
  read(): Promise<Seen>;
  end(): Promise<void>;
}

/** What a player in a page shows at this moment. */
interface SeenInPage extends Seen {
  readonly currentTime: number;
  /** Pictures that were decoded so far. */
  readonly pictures: number;
  /** The time of day of the picture, in milliseconds since 1970. */
  readonly dateMs: number | undefined;
}

/** A player in a page, which knows the time of day that belongs to its picture (EXT-X-PROGRAM-DATE-TIME). */
export interface PagePlayer extends Player {
  read(): Promise<SeenInPage>;
}

export const pageKinds = ['hls.js', 'Shaka Player'] as const;
/** With @latchkey/player, which fetches keys ahead. */
export const ownKinds = ['hls.js with attach()', 'Shaka Player with the filter'] as const;
export const programKinds = ['ffmpeg', 'mpv'] as const;
export type PageKind = (typeof pageKinds | typeof ownKinds)[number];
export type ProgramKind = (typeof programKinds)[number];
type PlayerKind = PageKind | ProgramKind;

/** A picture comes every 40 ms. A viewer notices less than this second, but a busy machine may stop a process for half of it. */
const stallMs = 1_000;
/** How far the played media may fall behind the clock, beside the standstills: one look. */
const lateSeconds = 1;

/**
 * How much slower than the clock media plays here, as a share. The clock of Chromium on a machine without a sound device loses some
 * thousandths, more on a busy one. This is read from a player of the same media in the clear.
 */
export function driftOf({ mediaSeconds, wallSeconds }: Seen): number {
  return wallSeconds > 0 ? 1 - mediaSeconds / wallSeconds : 0;
}

/**
 * @param drift of a player beside it, which needs no key
 * @returns a sentence for each thing that a viewer of this player would have noticed
 */
export function findStalls(seen: Seen, drift = 0): string[] {
  const { mediaSeconds, wallSeconds, standstillMs, interruptions, notes } = seen;
  const found: string[] = [];
  if (wallSeconds === 0) found.push('never began');
  if (standstillMs >= stallMs) found.push(`stood still for ${(standstillMs / 1_000).toFixed(1)} s`);
  if (interruptions > 0) found.push(notes.join(', '));
  if (Math.abs(wallSeconds * (1 - drift) - mediaSeconds) > lateSeconds)
    found.push(`played ${mediaSeconds.toFixed(1)} s of media in ${wallSeconds.toFixed(1)} s`);
  return found;
}

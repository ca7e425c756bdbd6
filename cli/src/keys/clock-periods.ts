import type { Clock } from '@latchkey/shared/clock';
import { type ClockPeriods, currentEpochOf } from '@latchkey/shared/contracts';
import { failure, refusal } from '../refusal.ts';
import type { ServerAccess } from './ask-server.ts';
import {
  changeContent,
  findContent,
  readContent,
  registerContent,
  type ShownContent,
} from './content-api.ts';

/** When the keys of a live content change, and where players fetch them. */
export interface Schedule {
  readonly periods: ClockPeriods;
  /** URL of the content's keys, as the server states it: a path alone if it has no `PUBLIC_URL`. */
  readonly keyEndpoint: string;
  /** The server's clock less this machine's, in milliseconds; 0 if no difference can be told. */
  readonly clockOffsetMs: number;
}

/** Asks the server for the schedule of a content. @throws AppError `VALIDATION_FAILED` for content without a clock, else as `askServer` */
export async function readSchedule(
  access: ServerAccess,
  contentId: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<Schedule> {
  const content = await readContent(access, contentId, signal);
  const hint = 'They say when the key changes: set keyPeriods, or register with encrypt --live';
  return toSchedule(content, contentId, clock, hint);
}

interface ClockContent {
  readonly contentId: string;
  /** The name to register unknown content with; undefined registers nothing. */
  readonly registerAs: string | undefined;
  /** Seconds of a period for content that has none. */
  readonly periodSeconds: number;
  /** Where players will find the playlist, for playback sessions; undefined leaves what the content has. */
  readonly playlistUrl?: string | undefined;
  readonly clock: Clock;
}

/**
 * The clock by which the keys of a live content change. Content that has key periods keeps them. With `registerAs`, content
 * without them gets some that begin now.
 *
 * @throws AppError `VALIDATION_FAILED` for content without a clock, else as `askServer`
 */
export async function agreeOnPeriods(
  access: ServerAccess,
  { contentId, registerAs, periodSeconds, playlistUrl, clock }: ClockContent,
  signal: AbortSignal,
): Promise<Schedule> {
  const origin = new Date(clock.now()).toISOString();
  const keyPeriods = { mode: 'clock', origin, periodSeconds } as const;
  const find = registerAs === undefined ? readContent : findContent;
  const known = await find(access, contentId, signal);
  const missing = {
    ...(registerAs !== undefined && !known?.keyPeriods && { keyPeriods }),
    ...(playlistUrl !== undefined && playlistUrl !== known?.playlistUrl && { playlistUrl }),
  };
  const content = !known
    ? await registerContent(access, { id: contentId, name: registerAs ?? contentId, ...missing }, signal)
    : Object.keys(missing).length > 0
      ? await changeContent(access, contentId, missing, signal)
      : known;
  const hint = 'For content without key periods, --register states them, with --period <seconds>';
  return toSchedule(content, contentId, clock, hint);
}

/** @param hint what the reader can do about content without periods */
function toSchedule(
  { keyPeriods, keyEndpoint, date }: ShownContent,
  contentId: string,
  clock: Clock,
  hint: string,
): Schedule {
  const clockOffsetMs = readClockOffset(date, clock.now());
  if (keyPeriods?.mode !== 'clock') {
    const found = keyPeriods ? `key periods with mode "${keyPeriods.mode}"` : 'no key periods';
    throw refusal(`the content ${contentId} has ${found}; accepted: mode "clock". ${hint}`);
  }
  const { mode, periodSeconds, ahead = 1, behind = null } = keyPeriods;
  const periods = { mode, origin: Date.parse(keyPeriods.origin), periodSeconds, ahead, behind };
  if (Number.isFinite(currentEpochOf(periods, 0))) return { periods, keyEndpoint, clockOffsetMs };
  throw failure(`the key periods of the content ${contentId} cannot be read`);
}

/** `Date` has whole seconds, and the answer takes its time. A difference within this is not told from none. */
const toleratedMs = { behind: 1_500, ahead: 2_500 };

/** @param receivedAt by this machine's clock, in milliseconds since 1970 */
function readClockOffset(date: string | null, receivedAt: number): number {
  const differenceMs = Date.parse(date ?? '') - receivedAt;
  const isClose = differenceMs >= -toleratedMs.ahead && differenceMs <= toleratedMs.behind;
  // Half a second is what the whole seconds of `Date` hide on average.
  return isClose || Number.isNaN(differenceMs) ? 0 : differenceMs + 500;
}

/** @param offsetMs `clockOffsetMs` of a schedule; not 0 */
export function describeClockOffset(offsetMs: number): string {
  const seconds = Math.round(Math.abs(offsetMs) / 100) / 10;
  return `the clock of this machine is ${seconds} s ${offsetMs > 0 ? 'behind' : 'ahead of'} the server's`;
}

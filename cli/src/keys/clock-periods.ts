import type { Clock } from '@latchkey/shared/clock';
import type { ClockPeriods } from '@latchkey/shared/contracts';
import { AppError } from '@latchkey/shared/errors';
import { askServer, type ServerAccess } from './ask-server.ts';
import { readClockOffset } from './read-clock-offset.ts';
import { readClockPeriods, type StatedPeriods } from './read-clock-periods.ts';

const hint = 'For content without key periods, --register states them, with --period <seconds>';

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

export interface AgreedPeriods {
  readonly periods: ClockPeriods;
  /** As {@link readClockOffset} gives it. */
  readonly clockOffsetMs: number;
}

/**
 * The clock by which the keys of a live content change. Content that has key periods keeps them. With `registerAs`, content
 * without them gets some that begin now.
 *
 * @throws AppError `VALIDATION_FAILED` for content without a clock, else as {@link askServer}
 */
export async function agreeOnPeriods(
  access: ServerAccess,
  { contentId, registerAs, periodSeconds, playlistUrl, clock }: ClockContent,
  signal: AbortSignal,
): Promise<AgreedPeriods> {
  const path = `/api/v1/content/${contentId}`;
  const keyPeriods = { mode: 'clock', origin: new Date(clock.now()).toISOString(), periodSeconds };
  const known = await askServer(access, { method: 'GET', path, signal }).catch((error: unknown) => {
    if (error instanceof AppError && error.status === 404 && registerAs !== undefined) return undefined;
    throw error;
  });
  const change = (method: 'POST' | 'PATCH', to: string, body: unknown) =>
    askServer(access, { method, path: to, body, signal });
  if (!known) {
    const body = { id: contentId, name: registerAs, keyPeriods, ...(playlistUrl && { playlistUrl }) };
    return readAgreed(await change('POST', '/api/v1/content', body), contentId, clock);
  }
  const present = await readContent(known.clone());
  const missing = {
    ...(registerAs !== undefined && !present.keyPeriods && { keyPeriods }),
    ...(playlistUrl !== undefined && playlistUrl !== present.playlistUrl && { playlistUrl }),
  };
  const isStated = Object.keys(missing).length === 0;
  return readAgreed(isStated ? known : await change('PATCH', path, missing), contentId, clock);
}

async function readAgreed(answer: Response, contentId: string, clock: Clock): Promise<AgreedPeriods> {
  const clockOffsetMs = readClockOffset(answer.headers, clock.now());
  const { keyPeriods } = await readContent(answer);
  return { periods: readClockPeriods(keyPeriods, contentId, hint), clockOffsetMs };
}

interface ShownContent {
  readonly keyPeriods?: StatedPeriods | null;
  readonly playlistUrl?: string | null;
}

async function readContent(answer: Response): Promise<ShownContent> {
  const body = (await answer.json()) as { content?: ShownContent } | null;
  return body?.content ?? {};
}

import type { Clock } from '@latchkey/shared/clock';
import type { ClockPeriods } from '@latchkey/shared/contracts';
import { AppError } from '@latchkey/shared/errors';
import { askServer, type ServerAccess } from '../keys/ask-server.ts';
import { refusal } from '../refusal.ts';

/** When the keys of a live content change, and where players fetch them. */
export interface Schedule {
  readonly periods: ClockPeriods;
  /** URL of the content's keys, as the server states it: a path alone where it has no `PUBLIC_URL`. */
  readonly keyEndpoint: string;
  /** The server's clock less this machine's, in milliseconds; 0 where they agree as far as can be told. */
  readonly clockOffsetMs: number;
}

/** `Date` has whole seconds, and the answer takes its time. A difference within this is not told from none. */
const toleratedMs = { behind: 1_500, ahead: 2_500 };

/**
 * Asks the server for the clock schedule of a content.
 *
 * @throws AppError VALIDATION_FAILED for content without one, else as {@link askServer}
 */
export async function readSchedule(
  access: ServerAccess,
  contentId: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<Schedule> {
  const path = `/api/v1/content/${encodeURIComponent(contentId)}`;
  const answer = await askServer(access, { method: 'GET', path, signal });
  const receivedAt = clock.now();
  const { content, key_endpoint: keyEndpoint } = (await answer.json()) as {
    content: { status: string; keyPeriods?: StatedPeriods | null };
    key_endpoint: string;
  };
  return {
    periods: toClockPeriods(content.keyPeriods ?? null, contentId),
    keyEndpoint,
    clockOffsetMs: offsetOf(answer.headers.get('date'), receivedAt),
  };
}

interface StatedPeriods extends Omit<ClockPeriods, 'mode' | 'origin'> {
  readonly mode: string;
  readonly origin: string;
}

function toClockPeriods(stated: StatedPeriods | null, contentId: string): ClockPeriods {
  if (stated?.mode !== 'clock')
    throw refusal(
      `the content ${contentId} has ${stated ? `key periods in ${stated.mode}` : 'no key periods'}; ` +
        'accepted: a content with keyPeriods { "mode": "clock", … }, which say when its key changes',
    );
  const periods: ClockPeriods = { ...stated, mode: 'clock', origin: Date.parse(stated.origin) };
  if (Number.isFinite(periods.origin) && periods.periodSeconds > 0) return periods;
  throw new AppError('INTERNAL', { detail: `the key periods of the content ${contentId} cannot be read` });
}

function offsetOf(date: string | null, receivedAt: number): number {
  const serverAt = Date.parse(date ?? '');
  if (Number.isNaN(serverAt)) return 0;
  const differenceMs = serverAt - receivedAt;
  const isClose = differenceMs >= -toleratedMs.ahead && differenceMs <= toleratedMs.behind;
  // Half a second is what the whole seconds of `Date` hide on average.
  return isClose ? 0 : differenceMs + 500;
}

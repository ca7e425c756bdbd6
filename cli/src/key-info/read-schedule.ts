import type { Clock } from '@latchkey/shared/clock';
import type { ClockPeriods } from '@latchkey/shared/contracts';
import { askServer, type ServerAccess } from '../keys/ask-server.ts';
import { readClockOffset } from '../keys/read-clock-offset.ts';
import { readClockPeriods, type StatedPeriods } from '../keys/read-clock-periods.ts';

const hint = 'They say when the key changes: set keyPeriods, or register with encrypt --live';

/** When the keys of a live content change, and where players fetch them. */
export interface Schedule {
  readonly periods: ClockPeriods;
  /** URL of the content's keys, as the server states it: a path alone where it has no `PUBLIC_URL`. */
  readonly keyEndpoint: string;
  /** The server's clock less this machine's, in milliseconds; 0 where they agree as far as can be told. */
  readonly clockOffsetMs: number;
}

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
    periods: readClockPeriods(content.keyPeriods, contentId, hint),
    keyEndpoint,
    clockOffsetMs: readClockOffset(answer.headers, receivedAt),
  };
}

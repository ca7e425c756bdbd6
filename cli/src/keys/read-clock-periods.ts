import { type ClockPeriods, currentEpochOf } from '@latchkey/shared/contracts';
import { AppError } from '@latchkey/shared/errors';
import { refusal } from '../refusal.ts';

/** Key periods as the API shows them; what is absent has the server's default. */
export interface StatedPeriods {
  readonly mode: string;
  readonly origin: string;
  readonly periodSeconds: number;
  readonly ahead?: number;
  readonly behind?: number | null;
}

/**
 * The clock by which the keys of a content change, read from its `keyPeriods`.
 *
 * @param hint what the reader can do about content without periods
 * @throws AppError `VALIDATION_FAILED` for content without a clock; `INTERNAL` for an answer that is no schedule
 */
export function readClockPeriods(
  stated: StatedPeriods | null | undefined,
  contentId: string,
  hint: string,
): ClockPeriods {
  if (stated?.mode !== 'clock') {
    const found = stated ? `key periods with mode "${stated.mode}"` : 'no key periods';
    throw refusal(`the content ${contentId} has ${found}; accepted: mode "clock". ${hint}`);
  }
  const { periodSeconds, ahead = 1, behind = null } = stated;
  const periods = { mode: 'clock', origin: Date.parse(stated.origin), periodSeconds, ahead, behind } as const;
  if (Number.isFinite(currentEpochOf(periods, 0))) return periods;
  throw new AppError('INTERNAL', { detail: `the key periods of the content ${contentId} cannot be read` });
}

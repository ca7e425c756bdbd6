import type { KeyPeriods, SequencePeriods } from '@latchkey/shared/contracts';

/** Small numbers: the pace of a viewer is used up in some requests, and one key comes back in a minute. */
export const burst = 3;
export const refillMs = 60_000;
const film: SequencePeriods = {
  mode: 'sequence',
  count: 12,
  periodSeconds: refillMs / 1_000,
  burst,
  speed: 1,
  pace: true,
};
const live = { mode: 'clock', origin: 0, periodSeconds: 10, ahead: 1, behind: 2 } as const;

/** The schedules that PATCH gives a content one after the other, again and again: none, films and channels follow each other. */
const schedules: readonly (KeyPeriods | null)[] = [
  null,
  { ...film, count: 5 },
  live,
  film,
  { ...live, origin: 20_000, ahead: 0, behind: 0 },
  { ...film, count: 7, pace: false },
  { ...film, count: 9, burst: 1 },
  { ...live, origin: -15_000, periodSeconds: 5, ahead: 3, behind: null },
];
/** Epochs that viewers ask for: some are beyond every schedule. */
export const epochs = 14;

/** The two contents have different schedules in each version, so that one answered for the other is noticed. */
export function keyPeriodsOf(contentId: string, version: number): KeyPeriods | null {
  const shift = contentId === 'c0' ? 0 : 3;
  return schedules[(version + shift) % schedules.length] ?? null;
}

/** The answer of a schedule for an epoch. */
export interface Judgement {
  readonly code: 'served' | 'EPOCH_NOT_FOUND' | 'EPOCH_NOT_YET' | 'EPOCH_PAST';
  /** With EPOCH_NOT_YET: from when it is served, milliseconds since 1970. */
  readonly opensAt?: number;
  /** Whether a viewer is paced. */
  readonly isPaced?: boolean;
}

/**
 * The contract in other words than the product's, which counts epochs: here each epoch has two instants, between which it
 * is served.
 */
export function judgeEpoch(periods: KeyPeriods | null, epoch: number, now: number): Judgement {
  if (periods === null) return { code: 'served' };
  if (periods.mode === 'sequence')
    return epoch < periods.count ? { code: 'served', isPaced: periods.pace } : { code: 'EPOCH_NOT_FOUND' };
  const beginsAt = (number: number) => periods.origin + number * periods.periodSeconds * 1_000;
  const opensAt = beginsAt(epoch - periods.ahead);
  if (now < opensAt) return { code: 'EPOCH_NOT_YET', opensAt };
  const isOver = periods.behind !== null && now >= beginsAt(epoch + 1 + periods.behind);
  return { code: isOver ? 'EPOCH_PAST' : 'served' };
}

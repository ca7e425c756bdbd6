import { AppError, type ErrorCode } from '../errors/errors.ts';
import { currentEpochOf, type KeyPeriods, opensAtOf } from './key-periods.ts';

/** Why the key of an epoch is not served. */
export interface EpochRefusal {
  readonly code: 'EPOCH_NOT_FOUND' | 'EPOCH_NOT_YET' | 'EPOCH_PAST';
  /** With EPOCH_NOT_YET: the epoch of now, negative before the origin, and when the wanted one is served (ms since 1970). */
  readonly notYet?: { readonly currentEpoch: number; readonly opensAt: number };
}

/**
 * Whether the key periods of a content let an epoch be served now: `docs/reference/contract.md#key-periods`. They hold for everyone.
 *
 * @param epoch undefined if the request names none
 * @param now wall clock, milliseconds since 1970
 * @returns null if it is served
 */
export function findEpochRefusal(
  periods: KeyPeriods,
  epoch: number | undefined,
  now: number,
): EpochRefusal | null {
  if (epoch === undefined) return { code: 'EPOCH_NOT_FOUND' };
  if (periods.mode === 'sequence') return epoch < periods.count ? null : { code: 'EPOCH_NOT_FOUND' };
  const currentEpoch = currentEpochOf(periods, now);
  if (epoch > currentEpoch + periods.ahead)
    return { code: 'EPOCH_NOT_YET', notYet: { currentEpoch, opensAt: opensAtOf(periods, epoch) } };
  const { behind } = periods;
  return behind !== null && epoch < currentEpoch - behind ? { code: 'EPOCH_PAST' } : null;
}

/** 9999-12-31T23:59:59.999Z, the last instant that RFC 3339 can write: an epoch of 32 bits can open long after it. */
const lastInstantMs = 253_402_300_799_999;

/**
 * The answer to a refused epoch: `docs/reference/contract.md#key-periods`.
 *
 * @param now wall clock, milliseconds since 1970
 */
export function toRefusalError(
  { code, notYet }: { code: ErrorCode; notYet?: EpochRefusal['notYet'] | undefined },
  now: number,
): AppError {
  if (!notYet) return new AppError(code);
  const { currentEpoch, opensAt } = notYet;
  return new AppError(code, {
    members: { currentEpoch, opensAt: new Date(Math.min(opensAt, lastInstantMs)).toISOString() },
    retryAfterSeconds: Math.max(1, Math.ceil((opensAt - now) / 1_000)),
  });
}

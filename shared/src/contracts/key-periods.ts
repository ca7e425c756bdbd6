import { AppError, type ErrorCode } from '../errors/errors.ts';
import { type Static, Type } from '../schema/type.ts';
import { nullable } from './record.ts';

/** `docs/reference/contract.md#key-periods`. An epoch is a number of 32 bits. */
export const maxEpoch = 4_294_967_295;

/** Live: epoch `e` begins at `origin + e * periodSeconds`. */
const ClockPeriodsSchema = Type.Object({
  mode: Type.Literal('clock'),
  origin: Type.Integer({ description: 'When epoch 0 begins, in milliseconds since 1970.' }),
  periodSeconds: Type.Integer(),
  ahead: Type.Integer(),
  behind: nullable(Type.Integer()),
});
export type ClockPeriods = Static<typeof ClockPeriodsSchema>;

/** On demand: a film of `count` periods, whose keys are given no faster than a player needs them. */
const SequencePeriodsSchema = Type.Object({
  mode: Type.Literal('sequence'),
  count: Type.Integer(),
  periodSeconds: Type.Number({ description: 'The longest period.' }),
  burst: Type.Integer(),
  speed: Type.Number(),
  pace: Type.Boolean(),
});
export type SequencePeriods = Static<typeof SequencePeriodsSchema>;

/** Which epochs of a content have keys, and when they are served. */
export const KeyPeriodsSchema = Type.Union([ClockPeriodsSchema, SequencePeriodsSchema]);
export type KeyPeriods = Static<typeof KeyPeriodsSchema>;

/** The epoch that a clock schedule is in; negative before its origin. @param now milliseconds since 1970 */
export function currentEpochOf({ origin, periodSeconds }: ClockPeriods, now: number): number {
  return Math.floor((now - origin) / (periodSeconds * 1_000));
}

/** When a viewer may first have the key of an epoch: milliseconds since 1970, possibly beyond the range of dates. */
export function opensAtOf({ origin, periodSeconds, ahead }: ClockPeriods, epoch: number): number {
  return origin + (epoch - ahead) * periodSeconds * 1_000;
}

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

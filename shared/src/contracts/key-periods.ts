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

import type { SequencePeriods } from '@latchkey/shared/contracts';

/** One key that a viewer asks for, of a content whose periods have a pace. */
export interface PacedKey {
  readonly viewerId: string;
  readonly contentId: string;
  readonly epoch: number;
  readonly periods: SequencePeriods;
}

/** How fast each viewer may fetch the keys of each content: `docs/reference/contract.md#key-periods`. */
export interface KeyPace {
  /**
   * Counts the key as given, if the pace allows it. A key that was given lately costs nothing.
   *
   * @returns 0 if it may be given, else the milliseconds until it may. It never rejects
   */
  take(key: PacedKey): number | Promise<number>;
  /** The state that the pace would use if the key were requested now. It takes nothing, and never rejects. */
  look(key: PacedKey): PaceState | Promise<PaceState>;
}

export interface PaceState {
  /** How many new keys the bucket holds: less than one is none. */
  readonly level: number;
  /** Whether the key was given lately, and so costs nothing. */
  readonly wasGiven: boolean;
}

/** An epoch that was given lately is given again for nothing. Lately: among the last four bursts. */
const rememberedBursts = 4;

export function rememberedOf({ burst }: SequencePeriods): number {
  return rememberedBursts * burst;
}

/** Levels are sums of fractions, so a key that is whole may miss a billionth of itself. */
export const oneKey = 1 - 1e-9;

/** Keys that come back in each millisecond. */
export function rateOf({ speed, periodSeconds }: SequencePeriods): number {
  return speed / (periodSeconds * 1_000);
}

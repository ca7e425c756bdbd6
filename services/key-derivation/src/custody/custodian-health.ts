import type { Clock } from '@latchkey/shared/clock';
import type { CustodianFault } from './key-custodian.ts';

/** Consecutive failed calls after which the custodian is left alone for a while. */
const failuresUntilRest = 5;
const firstRestMs = 500;
const longestRestMs = 10_000;
/** After a refusal an operator must act. A token locks itself after some wrong PINs, so it is hardly asked. */
const refusedRestMs = 30_000;

/** The health of a custodian, by its last calls. */
export interface CustodianHealth {
  /** Why the last call failed; null after one that succeeded, and before the first. */
  readonly fault: CustodianFault | null;
  noteAnswer(): void;
  noteFault(fault: CustodianFault): void;
  /** Whether it is left alone now. */
  isResting(): boolean;
  /**
   * Whether a call may be made. After a rest one call may, for `trialMs`, and the others may not until it has shown whether the custodian is
   * back.
   */
  mayCall(trialMs: number): boolean;
  /** Whether it has answered within this time, and no call has failed since. */
  answeredWithin(ms: number): boolean;
}

/** @param spread makes a pause longer or shorter, so that several processes do not come back at the same instant */
export function createCustodianHealth(
  clock: Pick<Clock, 'monotonic'>,
  spread: (ms: number) => number,
): CustodianHealth {
  let failures = 0;
  let restsUntilMs = Number.NEGATIVE_INFINITY;
  let answeredAtMs = Number.NEGATIVE_INFINITY;
  let fault: CustodianFault | null = null;

  return {
    get fault() {
      return fault;
    },
    noteAnswer() {
      failures = 0;
      fault = null;
      answeredAtMs = clock.monotonic();
    },
    noteFault(found) {
      fault = found;
      failures++;
      if (found.kind === 'refused') restsUntilMs = clock.monotonic() + refusedRestMs;
      else if (failures >= failuresUntilRest) {
        const restMs = Math.min(longestRestMs, firstRestMs * 2 ** (failures - failuresUntilRest));
        restsUntilMs = clock.monotonic() + Math.max(found.retryAfterMs ?? 0, spread(restMs));
      }
    },
    isResting: () => fault !== null && clock.monotonic() < restsUntilMs,
    mayCall(trialMs) {
      const needsTrial = fault !== null && (fault.kind === 'refused' || failures >= failuresUntilRest);
      if (!needsTrial) return true;
      const nowMs = clock.monotonic();
      if (nowMs < restsUntilMs) return false;
      restsUntilMs = nowMs + trialMs;
      return true;
    },
    answeredWithin: (ms) => fault === null && clock.monotonic() - answeredAtMs < ms,
  };
}

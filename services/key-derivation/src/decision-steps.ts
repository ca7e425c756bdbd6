import type { ErrorCode } from '@latchkey/shared/errors';

/** The steps of `docs/reference/contract.md#order-of-decisions`, and which of its codes each of them refuses with. */
export const codesOfSteps = {
  credential: ['UNAUTHENTICATED', 'INVALID_TOKEN', 'INVALID_SESSION'],
  entitlement: ['CONTENT_NOT_ENTITLED'],
  content: ['CONTENT_NOT_FOUND'],
  lease: ['LEASE_UNKNOWN', 'LEASE_REVOKED', 'LEASE_EXPIRED'],
  marks: ['VIEWER_BLOCKED', 'TOKEN_REVOKED'],
  'lease-mode': ['LEASE_REQUIRED'],
  'key-periods': ['EPOCH_NOT_FOUND', 'EPOCH_NOT_YET', 'EPOCH_PAST'],
  key: ['DEPENDENCY_UNAVAILABLE'],
  pace: ['KEY_PACE_EXCEEDED'],
} as const satisfies Record<string, readonly ErrorCode[]>;

export type StepName = keyof typeof codesOfSteps;

export const stepNames = Object.keys(codesOfSteps) as StepName[];

/** `skipped`: the step does not hold for such a request. `not-reached`: an earlier one has refused. */
export const stepAnswers = ['passed', 'refused', 'unknown', 'skipped', 'not-reached'] as const;

export type Fact = string | number | boolean | null;

export interface ExplainedStep {
  step: StepName;
  answer: (typeof stepAnswers)[number];
  /** The code of the refusal; null for every other answer. */
  code: ErrorCode | null;
  /** The states that the step went by: times in milliseconds since 1970 have names that end with `At`. */
  facts: Record<string, Fact>;
}

export interface Explanation {
  outcome: 'served' | 'refused' | 'unknown';
  /** The code that the request would get; null if its key is served. */
  code: ErrorCode | null;
  steps: ExplainedStep[];
}

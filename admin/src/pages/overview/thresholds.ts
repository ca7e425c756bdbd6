/** Targets and alerts: `docs/contract.md#targets`. */
export const thresholds = {
  keyTargetMs: 100,
  keyAlertMs: 500,
  /** Of 1. */
  clientErrorAlert: 0.05,
  serverErrorAlert: 0.001,
  firstFrameTargetMs: 2_000,
  /** Until the last replica has applied a revocation: `docs/contract.md#revocation`. */
  propagationTargetMs: 1_000,
} as const;

/** Of fewer, a share or a quantile says nothing: one cold request of five would be an alarm. */
export const leastSample = 20;
/** Of fewer, each refusal is more than a percent: setting a server up makes some 60 requests, and a few are refused. */
export const leastShareSample = 100;

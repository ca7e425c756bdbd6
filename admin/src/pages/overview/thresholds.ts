/** Targets and alerts: `docs/reference/contract.md#targets`. */
export const thresholds = {
  keyTargetMs: 100,
  keyAlertMs: 500,
  /** 0 to 1. */
  clientErrorAlert: 0.05,
  serverErrorAlert: 0.001,
  firstFrameTargetMs: 2_000,
  /** Until the last replica has applied a revocation: `docs/reference/contract.md#revocation`. */
  propagationTargetMs: 1_000,
} as const;

/** Smaller samples have no meaningful share or quantile: one slow request of five would raise an alarm. */
export const leastSample = 20;
/** In smaller samples each refusal is above one percent. Setting up a server takes about 60 requests with a few refusals. */
export const leastShareSample = 100;

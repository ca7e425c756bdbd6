import type { Principal } from '@latchkey/shared/contracts';

/** One request for a content key, authenticated and well formed. */
export interface KeyRequest {
  readonly principal: Principal;
  readonly contentId: string;
  /** Undefined for content without periods. */
  readonly epoch: number | undefined;
  /** Of a key that a packager named: a UUID in lower case. Such a key has no epoch. */
  readonly kid?: string;
  /** The lease that the request names; null without one. */
  readonly leaseId: string | null;
}

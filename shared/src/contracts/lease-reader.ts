/** What deciding about a lease takes. All times are milliseconds since 1970. */
export interface LeaseState {
  viewerId: string;
  contentId: string;
  expiresAt: number;
  /** Until then it can be renewed; from then on an expired lease stays expired. */
  renewableUntil: number;
  revokedAt: number | null;
}

/** The lease service as its neighbours see it. */
export interface LeaseReader {
  /**
   * @returns null where there is no such lease
   * @throws AppError DEPENDENCY_UNAVAILABLE where it cannot be known
   */
  findLease(leaseId: string): Promise<LeaseState | null>;
  /**
   * The latest mark that covers the pair: on the viewer, on the content, or on both together.
   *
   * @returns its time in milliseconds since 1970, null where there is none
   * @throws AppError DEPENDENCY_UNAVAILABLE where it cannot be known
   */
  findMark(viewerId: string, contentId: string): Promise<number | null>;
}

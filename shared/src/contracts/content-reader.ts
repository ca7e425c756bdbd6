export type ContentStatus = 'active' | 'disabled';

export interface ContentState {
  status: ContentStatus;
  /** The version of the master key that this content's keys are derived with; it never changes. */
  keyVersion: number;
}

/** The content service as its neighbours see it. */
export interface ContentReader {
  /**
   * @returns null where the content is not registered
   * @throws AppError DEPENDENCY_UNAVAILABLE where it cannot be known
   */
  findContent(contentId: string): Promise<ContentState | null>;
}

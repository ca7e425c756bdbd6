/** The source has not written it yet, has removed it, refuses it, or cannot be reached: a later attempt may succeed. */
export class SourceUnavailable extends Error {
  /** Of the answer over HTTP, if there was one. */
  readonly status: number | undefined;

  constructor(message: string, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(message, { cause });
    this.status = status;
  }
}

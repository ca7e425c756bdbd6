/** The result of one examination. */
export interface Finding {
  state: 'ok' | 'warning' | 'wrong';
  /** A variable or a dependency. */
  about: string;
  /** Completes a sentence that begins with `about`, without a full stop. Never a secret. */
  says: string;
  /** What to do about it. */
  mend?: string;
}

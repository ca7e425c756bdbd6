/** One thing that was looked at. */
export interface Finding {
  state: 'ok' | 'warning' | 'wrong';
  /** What was looked at: a variable or a dependency. */
  about: string;
  /** What it is like, in a sentence without its full stop. Never a secret. */
  says: string;
  /** What to do about it. */
  mend?: string;
}

import type { Cleanup } from './cleanup.ts';

/** The options and tools that each subject of `npm run bench` gets. */
export interface Run {
  /** How often each server is measured. */
  rounds: number;
  /** How long each measurement takes. */
  seconds: number;
  /** Stops servers and removes folders after the subject. */
  cleanup: Cleanup;
  /** Shows progress. */
  say(line: string): void;
  /** Reports a part that could not be measured, and why. The others are measured without it. */
  misses(part: string): void;
}

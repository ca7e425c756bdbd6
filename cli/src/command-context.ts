import type { Clock } from '@latchkey/shared/clock';
import type { Variables } from './keys/variables.ts';

interface TextOutput {
  write(text: string): unknown;
}

/** Everything that a command uses besides files and the network. `main.ts` and `runProgram` make it from the process. */
export interface CommandContext {
  readonly env: Variables;
  /** The results. */
  readonly stdout: TextOutput;
  /** Warnings, errors, progress. */
  readonly stderr: TextOutput;
  /** Standard error if it is a terminal: a progress bar is drawn there. */
  readonly terminal: NodeJS.WriteStream | undefined;
  /** A cryptographic source. */
  readonly randomBytes: (count: number) => Uint8Array;
  readonly clock: Clock;
  /** Resolves after this many seconds; rejects once the signal is aborted. */
  readonly wait: (seconds: number, signal?: AbortSignal) => Promise<void>;
  /** Aborted by SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
  /** Writes one sentence that an operator must know. */
  readonly warn: (text: string) => void;
}

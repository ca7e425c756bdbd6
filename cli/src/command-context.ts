import type { Clock } from '@latchkey/shared/clock';
import type { Variables } from './keys/variables.ts';

interface TextOutput {
  write(text: string): unknown;
}

/** Everything that a command uses besides files and the network. `main.ts` makes it from the process. */
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
  /** Rejects once the signal is aborted. */
  readonly wait: (seconds: number, signal?: AbortSignal) => Promise<void>;
  /** Aborted by SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
}

/** @returns a function that writes one sentence that an operator must know */
export function createWarn({ stderr }: Pick<CommandContext, 'stderr'>): (text: string) => void {
  return (text) => void stderr.write(`latchkey: warning: ${text}\n`);
}

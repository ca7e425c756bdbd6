import type { Clock } from '@latchkey/shared/clock';
import type { Variables } from './keys/read-variable.ts';

/** Where text goes. */
interface TextOutput {
  write(text: string): unknown;
}

/** Everything that a command touches besides files and the network. `main.ts` makes it from the process. */
export interface CommandContext {
  readonly env: Variables;
  /** What the command was asked for. */
  readonly stdout: TextOutput;
  /** Warnings, errors, progress. */
  readonly stderr: TextOutput;
  /** Standard error when a person watches it: a progress bar is drawn there. */
  readonly terminal: NodeJS.WriteStream | undefined;
  /** A cryptographic source. */
  readonly randomOctets: (count: number) => Uint8Array;
  readonly clock: Clock;
  /** Rejects once the signal is aborted. */
  readonly wait: (seconds: number, signal?: AbortSignal) => Promise<void>;
  /** Aborted by SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
}

import type { Stack } from '../stack/stack.ts';

/** Something that breaks and is mended. */
export interface Fault {
  name: string;
  /** How long it stays broken. */
  seconds: number;
  /** Whether viewers that every replica knows are to get each key all the same. */
  unseenByViewers: boolean;
  begin(stack: Stack): Promise<void> | void;
  end(stack: Stack): Promise<void> | void;
}

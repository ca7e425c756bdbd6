import type { Stack } from '../stack/stack.ts';

/** Longer than the 5 s after which an unconfirmed state is unknown. */
export const brokenSeconds = 7;

/** A part of the stack that is broken for a while. */
export interface Fault {
  name: string;
  /** How long it stays broken. */
  seconds: number;
  /** Whether viewers whom every replica knows must get every key meanwhile. */
  unseenByViewers: boolean;
  /** Whether those with a session must get every playlist meanwhile; the same as for keys by default. */
  unseenInPlaylists?: boolean;
  begin(stack: Stack): Promise<void> | void;
  end(stack: Stack): Promise<void> | void;
}

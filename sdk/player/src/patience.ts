import type { KeyServerOptions } from './player-options.ts';
import { msOfSeconds } from './seconds-option.ts';

/** A minute: longer than a server takes to be replaced, shorter than a viewer waits in front of a still picture. */
const defaultPatienceSeconds = 60;

/**
 * How long a viewer waits for the key server.
 *
 * @throws TypeError for a `patienceSeconds` that is not a number of 0 or more
 */
export function patienceMsOf({ patienceSeconds = defaultPatienceSeconds }: KeyServerOptions): number {
  return msOfSeconds('patienceSeconds', patienceSeconds);
}

import type Hls from 'hls.js';
import { createHlsEngine } from './hls-engine.ts';
import { createPlayerWith, type Player } from './player.ts';
import type { AttachOptions } from './player-options.ts';

/**
 * Gives an application's own instance of hls.js tokens, leases and figures. Attach before `hls.loadSource`; then load with
 * the player's `load()`, or with `hls.loadSource` as before. `hls.destroy()` gives the lease back, too.
 *
 * @throws TypeError for a `keyServerUrl` that is not a URL
 */
export function attach(hls: Hls, options: AttachOptions): Player {
  new URL(options.keyServerUrl);
  return createPlayerWith(options, (core) => createHlsEngine(hls, options, core));
}

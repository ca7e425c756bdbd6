import DefaultHls from 'hls.js';
import { createHlsEngine } from './hls-engine.ts';
import { createNativeEngine, playsNatively } from './native-engine.ts';
import { createPlayerWith, type Player } from './player.ts';
import { PlayerError } from './player-error.ts';
import type { PlayerOptions } from './player-options.ts';

/**
 * Makes a player of a `<video>`.
 *
 * @throws PlayerError `UNSUPPORTED` where neither hls.js nor the browser can play; TypeError for a `keyServerUrl` that is not a URL
 */
export function createPlayer(options: PlayerOptions): Player {
  const { video, native = 'auto', Hls = DefaultHls } = options;
  new URL(options.keyServerUrl);
  if (native !== 'always' && Hls.isSupported())
    return createPlayerWith(options, (core) =>
      createHlsEngine(new Hls(options.hlsConfig), options, core, video),
    );
  if (native !== 'never' && playsNatively(video))
    return createPlayerWith(options, (core) => createNativeEngine(video, options, core));
  throw new PlayerError(
    'UNSUPPORTED',
    'This browser plays HLS neither with Media Source Extensions nor by itself.',
  );
}

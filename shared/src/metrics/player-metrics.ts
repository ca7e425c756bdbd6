import type { Catalogue } from './metric-description.ts';

/** The metrics of reports that players send. */
export const players = {
  latchkey_player_time_to_first_frame_seconds: {
    type: 'histogram',
    labels: [],
    help: 'From load to the first frame.',
    lookAt: 'target: below 2 s',
  },
  latchkey_player_key_fetch_seconds: {
    type: 'histogram',
    labels: [],
    help: 'A key request as the player sees it, the average of a report.',
    lookAt:
      'target: p95 below 0.1 s. Alert above 0.5 s. The figure of the server is lower: the rest is network',
  },
  latchkey_player_decrypt_seconds: {
    type: 'histogram',
    labels: [],
    help: 'Decryption of a segment, the average of a report.',
    lookAt: 'target: below 0.005 s. A slow device, not the server',
  },
  latchkey_player_fragment_load_seconds: {
    type: 'histogram',
    labels: [],
    help: 'Download of a segment, the average of a report.',
    lookAt: 'the CDN',
  },
  latchkey_player_key_fetches: {
    type: 'histogram',
    labels: [],
    help: 'Key requests of a playback.',
    lookAt: 'many more than epochs: a player that does not keep keys',
  },
  latchkey_player_quality_switches: {
    type: 'histogram',
    labels: [],
    help: 'Changes of level of a playback.',
    lookAt: 'the network of viewers, the ladder',
  },
  latchkey_player_fragments_loaded: {
    type: 'histogram',
    labels: [],
    help: 'Segments of a playback.',
    lookAt: 'how long people watch',
  },
  latchkey_player_stalls: {
    type: 'histogram',
    labels: [],
    help: 'Times that the buffer ran empty during a playback.',
    lookAt: 'target: 0',
  },
} as const satisfies Catalogue;

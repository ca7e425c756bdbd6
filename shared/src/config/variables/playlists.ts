import { exactOrigins } from '../url-parsers.ts';
import { variable } from '../variable.ts';

const noOrigins: readonly string[] = [];

/** Where the playlists of playback sessions come from. Read by the content service and by the service that fetches them. */
export const playlistVariables = {
  playlistOrigins: variable({
    name: 'PLAYLIST_ORIGINS',
    type: exactOrigins,
    fallback: noOrigins,
    about:
      'The origins that playlists of session URLs are fetched from, redirects included. None: no content can have a playlistUrl.',
  }),
};

/** The media type of a playlist (RFC 8216 section 4), as Cast's `contentType` and a `<source>` take it. */
export const playlistType = 'application/vnd.apple.mpegurl';

import { type Piece, sessionId } from './session-text.ts';

/**
 * The URL of a key of this server, with the place of the session's id at its end. A session in the source's own URI is left out: it is
 * another one's, or is out of date.
 *
 * The query is divided once. `URLSearchParams.delete` takes time by the square of its matches.
 */
export function nameSession(url: URL): readonly Piece[] {
  const kept = url.search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !isSession(pair));
  const query = kept.length > 0 ? `${kept.join('&')}&` : '';
  return [`${url.origin}${url.pathname}?${query}s=`, sessionId];
}

/** Whether it is `s=…`, also in a percent-encoded form such as `%73=…`. */
function isSession(pair: string): boolean {
  const equals = pair.indexOf('=');
  const name = equals === -1 ? pair : pair.slice(0, equals);
  return name === 's' || name.toLowerCase() === '%73';
}

/** Replaces what is hidden. */
export const hidden = '***';
/** A longer name of a query is rather a token without a name. */
const longestName = 64;
/** A value that is hidden already, perhaps with the line of a playlist after it: `a.m3u8?token=***:8:`. */
const hiddenBefore = /^\*{3}(?::\d{1,9})?:?$/;

/**
 * A URL, or a URI of a playlist, for a message, a log line or a state file: `https://***@host/a.m3u8?token=***`. Sources sign in queries,
 * passwords stand before the host, and a `data:` URI may be a key. A fragment is left out.
 *
 * Of a malformed URL rather too much is hidden than too little. What was shown once is shown again as it is.
 */
export function showUrl(url: string): string {
  // A URL parser ignores these too, wherever they stand.
  const text = url.replace(/[\t\r\n]/g, '').trim();
  if (/^data:/i.test(text)) return `data:${hidden}`;
  const [beginning = ''] =
    /^(?:(?:https?|wss?|ftp):[\\/]*|(?:[a-z][a-z0-9+.-]*:)?[\\/]{2})/i.exec(text) ?? [];
  const rest = text.slice(beginning.length);
  if (beginning !== '' && !URL.canParse(text, 'https://host')) {
    // Its `/`, `?` and `#` may belong to the password.
    const at = rest.lastIndexOf('@');
    return at === -1 ? beginning + hideQuery(rest) : `${beginning}${hidden}@${hideQuery(rest.slice(at + 1))}`;
  }
  const end = rest.search(/[?#]/);
  const path = end === -1 ? rest : rest.slice(0, end);
  return beginning + hideUsers(path, beginning !== '') + hideQuery(rest.slice(path.length));
}

/** The path of a URL may contain another URL. @param hasHost whether the text begins with a host */
function hideUsers(text: string, hasHost: boolean): string {
  return text
    .split('//')
    .map((part, index) => {
      if (index === 0 && !hasHost) return part;
      const end = part.search(/[/\\]/);
      const at = (end === -1 ? part : part.slice(0, end)).lastIndexOf('@');
      return at === -1 ? part : hidden + part.slice(at);
    })
    .join('//');
}

/** `/x?a=1&b=2#c` → `/x?a=***&b=***`. A value without a name is hidden as a whole. */
function hideQuery(text: string): string {
  const [withoutFragment = ''] = text.split('#', 1);
  const start = withoutFragment.indexOf('?') + 1;
  if (start === 0 || start === withoutFragment.length) return withoutFragment;
  const pairs = withoutFragment.slice(start).split('&').map(hidePair);
  return withoutFragment.slice(0, start) + pairs.join('&');
}

function hidePair(pair: string): string {
  const equals = pair.indexOf('=');
  // `dG9rZW4=` is a token in base64, not a name.
  const isNamed = equals > 0 && equals <= longestName && /[^=]/.test(pair.slice(equals));
  if (hiddenBefore.test(isNamed ? pair.slice(equals + 1) : pair)) return pair;
  return isNamed ? `${pair.slice(0, equals)}=${hidden}` : hidden;
}

/**
 * A text of someone else, such as the message of an error, with each URL in it as {@link showUrl} shows it. URLs end at a space, a quote or an
 * angle bracket. A relative one is found by its query.
 */
export function hideUrls(text: string): string {
  return text.replace(/[^\s"<>]+/g, hideWord);
}

function hideWord(word: string): string {
  const data = word.search(/(?<![a-z])data:./i);
  // A word that only begins with a question mark names no file.
  const query = word.startsWith('?') && !word.includes('=') ? -1 : word.indexOf('?');
  const host = word.indexOf('://');
  const first = Math.min(...[data, query, host].filter((place) => place !== -1));
  if (first === Number.POSITIVE_INFINITY) return word;
  if (first === data) return `${word.slice(0, data)}data:${hidden}`;
  if (first === query) return showUrl(word);
  let start = host;
  while (start > 0 && /[a-z0-9+.-]/i.test(word[start - 1] ?? '')) start--;
  return word.slice(0, start) + showUrl(word.slice(start));
}

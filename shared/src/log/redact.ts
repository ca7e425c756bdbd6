import { rawKeyInId } from '../contracts/index.ts';

/** Replaces hidden text. */
const hidden = '***';

/** A raw API key, or a part of one: more digits than the 8 of `keyPrefix`, which every list shows. */
const apiKey = /lk_[0-9a-f]{9,}/gi;
/** A credential in the URL of one content key (`shared/src/auth/key-credential.ts`), or a part of one. */
const keyCredential = /lkc_[\w-]{9,}/g;
/** The id of a session in its URL, or a part of one (`shared/src/contracts/session-id.ts`). */
const sessionInPath = /(\/play\/+)[^/?#;\s]+/gi;
const sessionInQuery = /([?&]s=)[\w-]{9,}/g;
/** The id of a session without its URL: a whole run of 43 characters of base64url. A percent-encoded character ends a run too. */
const bareSession = /(?<=^|[^\w-]|%[0-9a-fA-F]{2})[\w-]{43}(?![\w-])/g;
/**
 * The same with the fixed bits of every id of a session: version and variant in the UUID of its lease (RFC 9562 section 5.4), and the zero
 * bits at its end. One of 64 SHA-256 in base64url has them too, and one of 256 other runs of this length.
 */
const madeSession =
  /(?<=^|[^\w-]|%[0-9a-fA-F]{2})[\w-]{8}[QRST][\w-][CGKOSWaeimquy26-][\w-]{31}[AEIMQUYcgkosw048](?![\w-])/g;
const sessionLength = 43;
/**
 * The characters of a token in its compact form (RFC 7515 section 7.1), dots included. The shortest one that is looked for is `eyJ` with 8
 * letters and a dot. Without a minimum, 16 KiB of `%2` took 8 ms of each request.
 */
const tokenLetters = /[\w.-]{12,}/g;
/** The beginning of a token's header: `{"` in base64url. The 8 letters after it distinguish it from a word. */
const tokenHeader = /eyJ[\w-]{8}/;
/**
 * Minimum lengths of the parts of a token whose header begins otherwise. `{"alg":"none"}` takes 19 letters, one claim
 * with an empty name and a value 10, a signature 43 or more. The labels of host names and the parts of versions are
 * shorter.
 */
const leastLetters = [16, 8, 16] as const;

/** The first part of such a token, matched from its beginning only, so that a long text is scanned once. */
const longPart = /(?:^|[^\w-])[\w-]{16,}\./;

/** Text is not encoded more often than this by accident. */
const rounds = 4;

/** The shortest text that `hideCredentials` changes: `lk_` with 9 digits, or `eyJ` with 8 letters and a dot. */
const shortestCredential = 12;

/**
 * Hides raw API keys, tokens and ids of sessions, percent-encoded ones too. Apply it to every text that a caller has chosen and
 * that is stored or shown: a reason, a `User-Agent`, a message. Of ids and names use the next two functions, because a
 * SHA-256 in base64url is as long as the id of a session.
 *
 * The time is proportional to the length for every text, because it runs for each request.
 */
export function redact(text: string): string {
  return hide(text, bareSession);
}

/** As `redact`, but hides only such ids of sessions that this server can have made: for names, and for ids in a path. */
export function redactName(text: string): string {
  return hide(text, madeSession);
}

/** As `redact`, but hides no id of a session without its URL: for ids that are accepted as ids, of viewers and contents. */
export function redactId(text: string): string {
  return hide(text, null);
}

function hide(text: string, session: RegExp | null): string {
  // Most ids of viewers are shorter. Decoding makes a text no longer.
  if (text.length < shortestCredential && !text.includes('%')) return text;
  return text.includes('%') ? hideDecoded(text, unescapeAll(text), session) : hideCredentials(text, session);
}

/** @param decoded `text` without percent-encoding; null where the decoding did not end */
function hideDecoded(text: string, decoded: string | null, session: RegExp | null): string {
  if (decoded === null) return hidden;
  const shown = hideCredentials(text, session);
  const shownDecoded = hideCredentials(decoded, session);
  return shownDecoded === decoded ? shown : shownDecoded;
}

/**
 * Whether an id contains a raw API key or a token, percent-encoded or not. Such an id is refused and stored nowhere. `redact` hides more,
 * because a hidden text costs less than a refused one. The time is proportional to the length.
 */
export function holdsCredential(id: string): boolean {
  const decoded = id.includes('%') ? unescapeAll(id) : id;
  if (decoded === null || rawKeyInId.test(decoded)) return true;
  if (!decoded.includes('eyJ')) return false;
  // Three parts of which the first is a header (RFC 7515 section 7.1). The signature may be empty.
  return (decoded.match(tokenLetters) ?? []).some((run) =>
    run
      .split('.')
      .some((part, n, parts) => n + 2 < parts.length && parts[n + 1] !== '' && tokenHeader.test(part)),
  );
}

/** Whether a text contains the id of a session as this server makes them. */
export function holdsSession(text: string): boolean {
  return text.search(madeSession) !== -1;
}

/**
 * The text with every visible percent-encoded character decoded, however often it was encoded.
 *
 * @returns null where the decoding does not end within the limit
 */
function unescapeAll(text: string): string | null {
  // Decoded in place: with a regular expression, 16 KiB of `%25` took 3 ms of each request.
  const codes = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at++) codes[at] = text.charCodeAt(at);
  let length = text.length;
  for (let round = 0; round <= rounds; round++) {
    const shorter = unescapeOnce(codes, length);
    if (shorter === length) return Buffer.from(codes.buffer, 0, length * 2).toString('utf16le');
    length = shorter;
  }
  return null;
}

const percent = 0x25;

/**
 * Decodes each visible character in percent-encoding (RFC 3986 section 2.1) once; the others stay encoded.
 *
 * @param length of the text in `codes`
 * @returns its length afterwards
 */
function unescapeOnce(codes: Uint16Array, length: number): number {
  let end = 0;
  for (let at = 0; at < length; at++) {
    let code = codes[at] as number;
    if (code === percent && at + 2 < length) {
      const decoded = digitOf(codes[at + 1] as number) * 16 + digitOf(codes[at + 2] as number);
      if (decoded > 0x20 && decoded < 0x7f) {
        code = decoded;
        at += 2;
      }
    }
    codes[end++] = code;
  }
  return end;
}

/** @returns the value of a hexadecimal digit; NaN for any other character */
function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN;
}

/** @param session what of the ids of sessions without their URL is hidden; null for nothing */
function hideCredentials(text: string, session: RegExp | null): string {
  const withoutKeys = text.includes('_')
    ? text.replace(apiKey, `lk_${hidden}`).replace(keyCredential, `lkc_${hidden}`)
    : text;
  const withoutSessions = hideSessions(withoutKeys);
  // Most texts contain neither, such as a browser's name. This test takes a fifth of the time.
  const mayHaveToken =
    withoutSessions.includes('eyJ') || (withoutSessions.includes('.') && longPart.test(withoutSessions));
  const withoutTokens = mayHaveToken ? withoutSessions.replace(tokenLetters, hideToken) : withoutSessions;
  // After the tokens: a signature is often as long, and a token without it would not be known as one.
  return session && withoutTokens.length >= sessionLength
    ? withoutTokens.replace(session, hidden)
    : withoutTokens;
}

function hideSessions(text: string): string {
  const withoutPaths = /\/play\//i.test(text) ? text.replace(sessionInPath, `$1${hidden}`) : text;
  return withoutPaths.includes('s=') ? withoutPaths.replace(sessionInQuery, `$1${hidden}`) : withoutPaths;
}

/** @param run a whole run of letters, digits, `_`, `-` and dots, so that no part of a token lies outside of it */
function hideToken(run: string): string {
  const parts = run.split('.');
  let start = 0;
  for (const [index, part] of parts.entries()) {
    const hasHeader = index < parts.length - 1 && tokenHeader.test(part);
    if (hasHeader || leastLetters.every((least, offset) => (parts[index + offset]?.length ?? 0) >= least))
      // With what stands before the header: it can be the beginning of a session's id.
      return run.slice(0, start) + hidden;
    start += part.length + 1;
  }
  return run;
}

/** The end of a path: a query, a fragment (which is refused), or path parameters (RFC 3986 section 3.3). */
const endOfPath = /[?#;]/;
/** `user:password@` in the absolute form of a target (RFC 9112 section 3.2.2). */
const userInfo = /^(https?:\/\/)[^/?#]*@/i;
/** A name that may be shown. A token in the place of a name is longer. */
const plainName = /^[A-Za-z0-9_.-]{1,32}$/;

/** Of a key, in most requests. Ids and epochs this short, without `_` and dots, hold no credential, so the rest need not look for one. */
const usualKeyPath = /^\/keys\/[A-Za-z0-9-]{1,42}(?:\/[0-9]{1,10})?$/;

/**
 * A request target that is safe to log: without raw keys and tokens, and without the text after the first `?`, `#` or
 * `;`, percent-encoded or not. The names of a query stay, because they help and hide nothing: `/keys/a?access_token=***`.
 */
export function redactPath(target: string): string {
  if (usualKeyPath.test(target)) return target;
  const url = target.replace(userInfo, `$1${hidden}@`);
  const end = url.search(endOfPath);
  const path = end === -1 ? url : url.slice(0, end);
  const decoded = path.includes('%') ? unescapeAll(path) : path;
  if (decoded === null) return hidden;
  const earlier = decoded.search(endOfPath);
  if (earlier !== -1) return `${redactSegments(decoded.slice(0, earlier))}${decoded[earlier]}${hidden}`;
  const shown = redactSegments(path);
  if (end === -1) return shown;
  return url[end] === '?' ? `${shown}?${namesOf(url.slice(end + 1))}` : `${shown}${url[end]}${hidden}`;
}

/** The id of a content in a path may be as long as the id of a session. */
const contentInPath = /^(\/(?:keys|licenses\/clearkey|api\/v1\/content)\/)([\w-]{43})(?=\/|$)/;

function redactSegments(path: string): string {
  const [matched = '', folder = '', id = ''] = contentInPath.exec(path) ?? [];
  return matched === '' ? redact(path) : folder + redactName(id) + redact(path.slice(matched.length));
}
/** More than any client of this API sends. Without a bound, a line would be three times as long as the request, and take a millisecond. */
const mostNames = 64;

function namesOf(query: string): string {
  const pairs = query.split('&', mostNames + 1);
  if (pairs.length > mostNames) pairs[mostNames] = '';
  return pairs
    .map((pair) => {
      const [name = ''] = pair.split('=', 1);
      return plainName.test(name) && redact(name) === name ? `${name}=${hidden}` : hidden;
    })
    .join('&');
}

/** A credential that was found in a pasted text. */
export interface FoundCredential {
  kind: 'api-key' | 'token' | 'session' | 'other';
  /**
   * The prefix of an API key, the `sub` of a token, the lease of a session. Empty if the credential does not say it. It may be shown,
   * sent and stored.
   */
  id: string;
  /** The content whose key URL the credential was in, or null. */
  contentId: string | null;
}

/** More digits than the prefix has, so also a key that is only half typed. */
const apiKey = /lk_[0-9a-f]{9,}/gi;
const prefixLength = 11;
/** The credential of one content key in its URL. */
const keyCredential = /lkc_[\w-]{9,}/g;
/** Letters of tokens (RFC 7515 section 7.1), dots included. */
const tokenLetters = /[\w.-]+/g;
/** The beginning of the header of a token: `{"` in base64url, and what follows. */
const tokenHeader = /eyJ[\w-]{8}/;
const sessionInUrl = /((?:\/play\/+|[?&]s=))([\w-]{43})(?![\w-])/gi;
/** The same while it is being typed. Elsewhere it may be the path of a file. */
const sessionAtEnd = /(?:\/play\/+|[?&]s=)[\w-]{9,42}$/i;
/** A run of 43 characters that has the bits of version 4 in its UUID, and none to spare: only a session's ID has all of these. */
const bareSession = /(?<![\w-])[\w-]{8}[QRST][\w-][CGKOSWaeimquy26-][\w-]{31}[AEIMQUYcgkosw048](?![\w-])/g;
/** Parameters and cookies that carry a credential of any form. */
const namedValue = /((?:^|[?&;\s])(?:access_token|key_credential|latchkey_token)=)([^\s&#;"',\ue000]+)/gi;
/** RFC 7617. A name and a password without a colon between them are two other words. */
const basic = /(\bBasic\s)([A-Za-z0-9+/_-]{8,})={0,2}/gi;
const keyPath = /\/(?:keys|licenses\/clearkey|api\/v1\/content)\/([A-Za-z0-9_-]{1,256})(?=[/?#\s"']|$)/;
/** One character in percent-encoding, as in a copied address. */
const escaped = /%([2-7][0-9a-f])/gi;
const rounds = 4;
const hidden = '***';

/** A text with each of its credentials replaced by a mark: two characters of a private area of Unicode around its number. */
interface Scan {
  marked: string;
  found: { kind: FoundCredential['kind']; id: string; secret: string }[];
}

const mark = /\ue000(\d+)\ue001/g;

/**
 * The text with its credentials cut to what identifies them. It is for reasons, names and lists: the words around stay.
 *
 * The time is proportional to the length of the text.
 */
export function cutCredentials(text: string): string {
  const { marked, found } = scan(text);
  if (found.length === 0) return text;
  return marked.replace(mark, (_, n) => found[Number(n)]?.id || hidden);
}

/**
 * The credential that a text is or contains, such as a header, a command, a cookie or a URL; null if there is none. It is for fields that take an
 * ID.
 */
export function findCredential(text: string): FoundCredential | null {
  const { marked, found } = scan(text);
  const best = found.find(({ id }) => id !== '') ?? found[0];
  if (!best) return sessionAtEnd.test(text) ? { kind: 'session', id: '', contentId: null } : null;
  return { kind: best.kind, id: best.id, contentId: keyPath.exec(marked)?.[1] ?? null };
}

/** The ID in place of a text that is or contains a credential; any other text as it is. */
export function idInPlaceOf(text: string, names: 'anything' | 'content' = 'anything'): string {
  const found = findCredential(text);
  if (!found) return text;
  return (names === 'content' ? found.contentId : null) ?? (found.id || found.contentId || '');
}

/**
 * The token or the ID of a playback session that a text contains, for the field that asks the server about one. Of any other credential what
 * identifies it.
 */
export function takeToken(text: string): string {
  const { found } = scan(text);
  const taken = found.find(({ kind }) => kind === 'token' || kind === 'session');
  return taken?.secret ?? idInPlaceOf(text);
}

/** Reads the text as it is, and as it is percent-encoded if there is a credential only then. */
function scan(text: string): Scan {
  const plain = scanPlain(text);
  if (!text.includes('%')) return plain;
  const decoded = scanPlain(unescapeAll(text));
  return decoded.found.length > plain.found.length ? decoded : plain;
}

function scanPlain(text: string): Scan {
  const found: Scan['found'] = [];
  const put = (kind: FoundCredential['kind'], id: string, secret: string) =>
    `\ue000${found.push({ kind, id, secret }) - 1}\ue001`;
  const marked = text
    .replace(basic, (all, scheme: string, encoded: string) => {
      const decoded = decodeBase64(encoded);
      if (!decoded?.includes(':')) return all;
      const [key] = decoded.match(apiKey) ?? [];
      return scheme + (key ? put('api-key', prefixOf(key), encoded) : put('other', '', encoded));
    })
    .replace(apiKey, (key) => put('api-key', prefixOf(key), key))
    .replace(keyCredential, (secret) => put('other', '', secret))
    .replace(tokenLetters, (run) => {
      const token = tokenIn(run);
      return token === null ? run : run.slice(0, -token.length) + put('token', subOf(token), token);
    })
    .replace(sessionInUrl, (_, before: string, sid: string) => before + put('session', leaseOf(sid), sid))
    .replace(namedValue, (_, name: string, secret: string) => name + put('other', '', secret))
    .replace(bareSession, (sid) => put('session', leaseOf(sid), sid));
  return { marked, found };
}

const prefixOf = (key: string) => key.slice(0, prefixLength).toLowerCase();

/** @param run of letters of a token. @returns its end that is a token, or the beginning of one that is being typed; null if there is none */
function tokenIn(run: string): string | null {
  const start = run.search(tokenHeader);
  if (start === -1) return null;
  const token = run.slice(start);
  // Without a dot it may be a word. A header is JSON, and so printable ASCII.
  const head = decodeBase64(token.slice(0, 8)) ?? '';
  return token.includes('.') || /^\{"[ -~]+$/.test(head) ? token : null;
}

function subOf(token: string): string {
  try {
    const { sub } = JSON.parse(decodeBase64(token.split('.')[1] ?? '') ?? '') as { sub?: unknown };
    return typeof sub === 'string' && scan(sub).found.length === 0 ? sub : '';
  } catch {
    return '';
  }
}

/** The 16 bytes of the lease's UUID, then 16 bytes of the secret. @returns the UUID; empty for another text */
function leaseOf(sid: string): string {
  if (!/^[\w-]{43}$/.test(sid)) return '';
  const hex = [...atob(`${toStandard(sid)}=`)]
    .slice(0, 16)
    .map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0'))
    .join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const toStandard = (encoded: string) => encoded.replaceAll('-', '+').replaceAll('_', '/');

/** @returns null for a text that is not base64 of UTF-8 */
function decodeBase64(encoded: string): string | null {
  try {
    const bytes = Uint8Array.from(atob(toStandard(encoded)), (byte) => byte.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Every visible percent-encoded character decoded, however often it was encoded. */
function unescapeAll(text: string): string {
  let decoded = text;
  for (let round = 0; round < rounds && decoded.includes('%'); round++)
    decoded = decoded.replace(escaped, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));
  return decoded;
}

import type { IncomingHttpHeaders } from 'node:http';

/** An answer of the usual form: a final status, and a body of announced length. */
export interface UsualAnswer {
  status: number;
  /** Names in lower case. A repeated header is a list. */
  headers: IncomingHttpHeaders;
  /** One byte a character (Latin-1). */
  body: string;
  /** Whether the other side takes another request on this connection. */
  keepsConnection: boolean;
}

/** Represents bytes that are not exactly one answer. What follows on their connection cannot be trusted. */
export class MalformedAnswer extends Error {
  constructor(what: string) {
    super(`the answer is not valid HTTP: ${what}`);
  }
}

/** Node's limit for the head of a message, which services have too (`maxHeaderSize`). */
const longestHeadBytes = 16 * 1024;
/** Longer bodies are forwarded as they arrive. Keys have 16 bytes, and errors some 200. */
const longestBodyBytes = 16 * 1024;

const headEnd = '\r\n\r\n';
/** Every answer begins with it. */
const start = 'HTTP/1.1 ';
/** HTTP/1.0 differs in what keeps a connection, so it is of another form. */
const olderStart = 'HTTP/1.0 ';
/** RFC 9112 section 4: the version, three digits, and a reason, which may be left out with its space. */
const statusLine = /^HTTP\/1\.1 ([1-9]\d\d)(?: .*)?$/;
/** RFC 9110 section 5.6.2. A space before the colon is not allowed (RFC 9112 section 5.1), and a folded line begins with one. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** What no line may have: controls other than the tab (RFC 9110 section 5.5), among them a carriage return or a line feed alone. */
const forbidden = /[^\t\x20-\x7e\x80-\xff]/;
/** Without signs, spaces and lists. Seven digits are far over the limit, and no number loses precision. */
const plainLength = /^\d{1,7}$/;
const digits = /^\d+$/;

/**
 * Reads the first answer of a connection from all bytes that have arrived. It returns `more` while the answer is not complete, and `other`
 * once the head shows a valid answer of another form: an interim one, one of unknown length, or a large one.
 *
 * @param text one byte a character (Latin-1), from the first byte of the answer on
 * @throws MalformedAnswer if the bytes are not the beginning of an answer, or are more than one
 */
export function readAnswer(text: string): UsualAnswer | 'more' | 'other' {
  if (!text.startsWith(start)) {
    if (start.startsWith(text) || olderStart.startsWith(text)) return 'more';
    if (!text.startsWith(olderStart)) throw new MalformedAnswer('it does not begin with a status line');
  }
  const headLength = text.indexOf(headEnd);
  if (headLength > longestHeadBytes || (headLength < 0 && text.length > longestHeadBytes))
    throw new MalformedAnswer('its head is too long');
  if (headLength < 0) return 'more';
  const head = text.slice(0, headLength);
  if (text.startsWith(olderStart)) return 'other';
  const status = readStatus(head);
  const headers = readHeaders(head);
  const length = bodyLength(status, headers);
  if (length === null) return 'other';
  const bodyStart = headLength + headEnd.length;
  const arrived = text.length - bodyStart;
  if (arrived < length) return 'more';
  if (arrived > length) throw new MalformedAnswer('it is longer than it announces');
  const body = text.slice(bodyStart);
  return { status, headers, body, keepsConnection: !namesClose(headers.connection) };
}

function readStatus(head: string): number {
  const lineEnd = head.indexOf('\r\n');
  const line = lineEnd < 0 ? head : head.slice(0, lineEnd);
  const [, status] = statusLine.exec(line) ?? [];
  if (status === undefined || forbidden.test(line)) throw new MalformedAnswer('its status line');
  return Number(status);
}

function readHeaders(head: string): IncomingHttpHeaders {
  const headers: Record<string, string | string[]> = {};
  let lineEnd = head.indexOf('\r\n');
  while (lineEnd >= 0) {
    const lineStart = lineEnd + 2;
    lineEnd = head.indexOf('\r\n', lineStart);
    const colon = head.indexOf(':', lineStart);
    const end = lineEnd < 0 ? head.length : lineEnd;
    if (colon < 0 || colon > end) throw new MalformedAnswer('a header without a colon');
    const name = head.slice(lineStart, colon);
    if (!token.test(name)) throw new MalformedAnswer('the name of a header');
    const value = trimmed(head, colon + 1, end);
    if (forbidden.test(value)) throw new MalformedAnswer('the value of a header');
    add(headers, name.toLowerCase(), value);
  }
  return headers;
}

function add(headers: Record<string, string | string[]>, name: string, value: string): void {
  const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
  if (before === undefined) headers[name] = value;
  else if (typeof before === 'string') headers[name] = [before, value];
  else before.push(value);
}

/** Without the spaces and tabs around it (RFC 9112 section 5). */
function trimmed(head: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(head.charCodeAt(start))) start++;
  while (end > start && isBlank(head.charCodeAt(end - 1))) end--;
  return head.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/**
 * RFC 9112 section 6.3, for answers to `GET`.
 *
 * @returns null if the answer is of another form
 * @throws MalformedAnswer where two readers could find different ends
 */
function bodyLength(status: number, headers: IncomingHttpHeaders): number | null {
  // A list stands for a repeated header: even two equal lengths are a sign that something was put together.
  const announced: string | string[] | undefined = headers['content-length'];
  const coding = headers['transfer-encoding'];
  if (announced !== undefined && (typeof announced !== 'string' || !digits.test(announced)))
    throw new MalformedAnswer('its length');
  if (announced !== undefined && coding !== undefined)
    throw new MalformedAnswer('a length beside a transfer coding');
  // No request asks for another protocol.
  if (status === 101) throw new MalformedAnswer('an upgrade that was not requested');
  if (status < 200) return null;
  // Without a body, whatever length they announce. No key has such a status.
  if (status === 204 || status === 304) return null;
  if (announced === undefined || !plainLength.test(announced)) return null;
  const length = Number(announced);
  return length > longestBodyBytes ? null : length;
}

function namesClose(connection: string | undefined): boolean {
  // The value that services send.
  if (connection === 'keep-alive' || connection === undefined) return false;
  return /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i.test(String(connection));
}

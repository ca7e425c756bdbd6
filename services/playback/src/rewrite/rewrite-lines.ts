import {
  type AttributeList,
  findAttribute,
  formatAttributeList,
  type PlaylistLine,
  parseAttributeList,
} from '@latchkey/shared/hls';
import { ChildNames } from './child-names.ts';
import type { RewriteRules, SourcePlaylist } from './playlist.ts';
import { PlaylistFault } from './playlist-fault.ts';
import { nameSession } from './session-in-key-url.ts';
import { type Piece, SessionText } from './session-text.ts';
import { fillIn, readDefinition, type Variables } from './variables.ts';

interface RewriteContext extends SourcePlaylist {
  readonly kind: 'media' | 'multivariant';
  readonly rules: RewriteRules;
}

interface RewrittenLines {
  readonly text: SessionText;
  readonly variables: Variables;
  readonly children: ReadonlyMap<string, URL>;
  readonly childNames: ReadonlyMap<string, string>;
  /** Of the text and of the URLs of children, at most. */
  readonly memoryBytes: number;
}

/** Tags whose `URI` is a playlist. */
const playlistTags = ['EXT-X-MEDIA', 'EXT-X-I-FRAME-STREAM-INF'];
/** That change while a playlist stays the same one. */
const passingAttributes = ['URI', 'AVERAGE-BANDWIDTH', 'SCORE'];
const keyTags = ['EXT-X-KEY', 'EXT-X-SESSION-KEY'];
/** Every other attribute that holds a URI (draft-pantos-hls-rfc8216bis sections 4.4.4 to 4.4.6 and appendix D). */
const uriAttributes = ['URI', 'SERVER-URI', 'X-ASSET-URI', 'X-ASSET-LIST'];
/**
 * Offers that only the source itself can keep: to hold a reload back until a part exists, and to leave out parts that a client has. Without
 * them clients poll.
 */
const reloadOffers = ['CAN-BLOCK-RELOAD', 'CAN-SKIP-UNTIL', 'CAN-SKIP-DATERANGES'];
/** A value that may have such an attribute. Others are kept as they are, whatever their form. */
const hasUri = /URI="|X-ASSET-LIST="/;

/** Absolute URLs are longer than relative ones: 6 MB of a day become 9. A long URL before each of 400,000 lines would fill the memory. */
const longestText = 16 * 1024 * 1024;
/** Far above the longest URL, and as much as variables may fill in. URLs much longer than that take more time for each character. */
const longestUri = 65_536;
/** The fixed cost of a line, in characters, however short it is: it is read twice, and its URL is made. */
export const lineCharacters = 64;

/**
 * Rewrites line by line: a variable is defined before its use.
 *
 * @returns steps; each value is the amount of the work after it, in characters
 * @throws PlaylistFault
 */
export function* rewriteLines(
  lines: Iterable<PlaylistLine>,
  context: RewriteContext,
): Generator<number, RewrittenLines, undefined> {
  const text = new SessionText();
  const found: Found = {
    variables: new Map(),
    children: new ChildNames(),
    variant: '',
    urlCharacters: 0,
    readCharacters: 0,
  };
  let length = 0;
  for (const line of lines) {
    // The characters that the line before has read are known only now.
    yield lineCharacters + line.text.length + found.readCharacters;
    found.readCharacters = 0;
    const rewritten = new LineRewriter(line, context, found).rewrite();
    for (const piece of rewritten ?? []) if (typeof piece === 'string') length += piece.length;
    // The URLs of reports and of children are not in the text, and take as long.
    if (Math.max(length, found.urlCharacters) > longestText)
      throw new PlaylistFault('with absolute URLs it is larger than 16 MiB');
    // A line may have to be left out as a whole.
    if (rewritten) text.add([...rewritten, '\n']);
  }
  const { variables, children } = found;
  let memoryBytes = text.memoryBytes;
  // Twice: URLs are kept as objects, too.
  for (const url of children.names.keys()) memoryBytes += 2 * url.length;
  return { text, variables, memoryBytes, children: children.children, childNames: children.names };
}

/** The findings and the costs of the lines so far. */
interface Found {
  readonly variables: Map<string, string>;
  readonly children: ChildNames;
  /** Attributes of the last EXT-X-STREAM-INF: its URI is the line after it. */
  variant: string;
  /** Of all URLs that were made. */
  urlCharacters: number;
  /** Characters that this line has read in addition to its own: of the playlist's URL, and of variables. */
  readCharacters: number;
}

class LineRewriter {
  readonly #line: PlaylistLine;
  readonly #context: RewriteContext;
  readonly #found: Found;

  constructor(line: PlaylistLine, context: RewriteContext, found: Found) {
    this.#line = line;
    this.#context = context;
    this.#found = found;
  }

  rewrite(): readonly Piece[] | null {
    const { kind, text, tag, value } = this.#line;
    if (kind === 'uri') {
      const url = this.#resolve(text.trim());
      return [this.#context.kind === 'multivariant' ? this.#child(url, this.#found.variant) : url.href];
    }
    if (tag === 'EXT-X-STREAM-INF') this.#found.variant = identify(this.#tryAttributes() ?? []);
    if (tag === 'EXT-X-DEFINE') return this.#define();
    if (tag === 'EXT-X-SERVER-CONTROL') return this.#withdrawOffers();
    if (tag === 'EXT-X-RENDITION-REPORT') return this.#pointToSibling();
    if (!hasUri.test(value)) return [text];
    const isKnown = [...keyTags, ...playlistTags].includes(tag) || tag === 'EXT-X-MAP';
    // A title (`EXTINF`) or a tag of someone's own may contain anything.
    const attributes = isKnown ? this.#attributes() : this.#tryAttributes();
    return attributes ? this.#write(attributes, (url) => this.#point(url, attributes)) : [text];
  }

  /** Where a URI of this tag points to for a session. */
  #point(url: URL, attributes: AttributeList): readonly Piece[] {
    const { tag } = this.#line;
    if (playlistTags.includes(tag)) return [this.#child(url, `${tag} ${identify(attributes)}`)];
    const ownKey = keyTags.includes(tag) ? this.#context.rules.toOwnKey(url) : null;
    return ownKey ? nameSession(ownKey) : [url.href];
  }

  #define(): readonly Piece[] {
    const { url, parent } = this.#context;
    const attributes = this.#attributes();
    const imported: Variables = parent?.variables ?? new Map();
    const { name, value } = readDefinition(attributes, { url, imported, line: this.#line.number });
    this.#found.variables.set(name, value);
    this.#found.readCharacters += url.href.length;
    if (findAttribute(attributes, 'QUERYPARAM') === undefined) return [this.#line.text];
    // The client's URL lacks the query of the source, so the value is stated.
    return [`#EXT-X-DEFINE:NAME="${name}",VALUE="${value.replace(/["\r\n]/g, encodeURIComponent)}"`];
  }

  #withdrawOffers(): readonly Piece[] | null {
    const kept = this.#attributes().filter(({ name }) => !reloadOffers.includes(name));
    return kept.length > 0 ? this.#write(kept, (url) => [url.href]) : null;
  }

  /** Reports of playlists that the content does not list are left out: they only save a request. */
  #pointToSibling(): readonly Piece[] | null {
    let isListed = true;
    const pieces = this.#write(this.#attributes(), (url) => {
      const sibling = this.#context.parent?.childNames.get(url.href);
      if (sibling === undefined) isListed = false;
      return [sibling ?? ''];
    });
    return isListed ? pieces : null;
  }

  /** The name of a playlist that this one lists. */
  #child(url: URL, attributes: string): string {
    if (this.#context.rules.mayFetch(url)) {
      const name = this.#found.children.add(url, attributes);
      if (name === null) throw new PlaylistFault('it lists more than 1,000 playlists');
      return name;
    }
    const where = url.protocol === 'data:' ? 'data:' : `${url.protocol}//${url.host}`;
    throw new PlaylistFault(
      `it lists a playlist at ${where}, which PLAYLIST_ORIGINS does not`,
      this.#line.number,
    );
  }

  #resolve(reference: string): URL {
    const { href: base } = this.#context.url;
    if (reference.length > longestUri)
      throw new PlaylistFault(
        `it has a URI that is too long: more than ${longestUri} characters`,
        this.#line.number,
      );
    const filled = fillIn(reference, this.#found.variables, this.#line.number);
    const url = URL.parse(filled, base);
    if (!url) throw new PlaylistFault('it has a URI that is malformed', this.#line.number);
    this.#found.readCharacters += base.length + url.href.length;
    this.#found.urlCharacters += url.href.length;
    return url;
  }

  #attributes(): AttributeList {
    const attributes = this.#tryAttributes();
    if (!attributes) throw new PlaylistFault(`#${this.#line.tag} is malformed`, this.#line.number);
    return attributes;
  }

  #tryAttributes(): AttributeList | null {
    try {
      return parseAttributeList(this.#line.value);
    } catch {
      return null;
    }
  }

  #write(attributes: AttributeList, point: (url: URL) => readonly Piece[]): readonly Piece[] {
    const pieces: Piece[] = [`#${this.#line.tag}:`];
    for (const [index, { name, value, quoted }] of attributes.entries()) {
      if (index > 0) pieces.push(',');
      if (quoted && uriAttributes.includes(name)) {
        pieces.push(`${name}="`, ...point(this.#resolve(value)), '"');
      } else pieces.push(quoted ? `${name}="${value}"` : `${name}=${value}`);
    }
    return pieces;
  }
}

/** Tells a playlist from others of the same list. A stable id is made for that (draft-pantos-hls-rfc8216bis section 4.4.6.2). */
function identify(attributes: AttributeList): string {
  const stable =
    findAttribute(attributes, 'STABLE-VARIANT-ID') ?? findAttribute(attributes, 'STABLE-RENDITION-ID');
  if (stable !== undefined) return stable;
  return formatAttributeList(attributes.filter(({ name }) => !passingAttributes.includes(name)));
}

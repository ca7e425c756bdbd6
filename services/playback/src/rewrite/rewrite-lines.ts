import {
  type AttributeList,
  findAttribute,
  type PlaylistLine,
  parseAttributeList,
} from '@latchkey/shared/hls';
import type { RewriteRules, SourcePlaylist } from './playlist.ts';
import { PlaylistFault } from './playlist-fault.ts';
import { fillIn, readDefinition, type Variables } from './variables.ts';

/** Stands for the id of the session. */
export const sessionId = Symbol('session');

/** Text, a playlist by its URL, or the place of the session's id. */
export type Piece = string | URL | typeof sessionId;

interface LineContext extends SourcePlaylist {
  readonly kind: 'media' | 'multivariant';
  readonly rules: RewriteRules;
}

interface RewrittenLines {
  readonly pieces: readonly Piece[];
  /** The playlists among the pieces, in their order. */
  readonly children: readonly URL[];
  readonly variables: Variables;
}

/** Tags whose `URI` is a playlist. */
const playlistTags = ['EXT-X-MEDIA', 'EXT-X-I-FRAME-STREAM-INF'];
const keyTags = ['EXT-X-KEY', 'EXT-X-SESSION-KEY'];
/** Every other attribute that holds a URI (draft-pantos-hls-rfc8216bis sections 4.4.4 to 4.4.6 and appendix D). */
const uriAttributes = ['URI', 'SERVER-URI', 'X-ASSET-URI', 'X-ASSET-LIST'];
/**
 * Offers that only the source itself can keep: to hold a reload back until a part is there, and to leave out what a client has. Without
 * them clients poll.
 */
const reloadOffers = ['CAN-BLOCK-RELOAD', 'CAN-SKIP-UNTIL', 'CAN-SKIP-DATERANGES'];
/** A value that may have such an attribute. Others are kept as they are, whatever their form. */
const hasUri = /URI="|X-ASSET-LIST="/;

/** Eight times the source: absolute URLs are longer than relative ones. A long URL before each of a million lines would fill the memory. */
const longestText = 16 * 1024 * 1024;
/** Far above any content. Each is looked for in each rendition report. */
const childrenAtMost = 1_000;

/** Rewrites line by line: a variable is defined before its use. @throws PlaylistFault */
export function rewriteLines(lines: readonly PlaylistLine[], context: LineContext): RewrittenLines {
  const pieces: Piece[] = [];
  const children: URL[] = [];
  const variables = new Map<string, string>();
  let length = 0;
  for (const line of lines) {
    const rewritten = new LineRewriter(line, context, variables).rewrite();
    // A line may have to be left out as a whole.
    if (!rewritten) continue;
    for (const piece of rewritten) {
      if (piece instanceof URL) children.push(piece);
      else if (typeof piece === 'string') length += piece.length;
    }
    if (children.length > childrenAtMost) throw new PlaylistFault('it lists more than 1,000 playlists');
    if (length > longestText) throw new PlaylistFault('with absolute URLs it is larger than 16 MiB');
    pieces.push(...rewritten, '\n');
  }
  return { pieces, children, variables };
}

class LineRewriter {
  readonly #line: PlaylistLine;
  readonly #context: LineContext;
  readonly #variables: Map<string, string>;

  constructor(line: PlaylistLine, context: LineContext, variables: Map<string, string>) {
    this.#line = line;
    this.#context = context;
    this.#variables = variables;
  }

  rewrite(): readonly Piece[] | null {
    const { kind, text, tag, value } = this.#line;
    if (kind === 'uri') {
      const url = this.#resolve(text.trim());
      return [this.#context.kind === 'multivariant' ? this.#child(url) : url.href];
    }
    if (tag === 'EXT-X-DEFINE') return this.#define();
    if (tag === 'EXT-X-SERVER-CONTROL') return this.#withdrawOffers();
    if (tag === 'EXT-X-RENDITION-REPORT') return this.#pointToSibling();
    if (!hasUri.test(value)) return [text];
    const isKnown = [...keyTags, ...playlistTags].includes(tag) || tag === 'EXT-X-MAP';
    // A title (`EXTINF`) or a tag of someone's own may contain anything.
    const attributes = isKnown ? this.#attributes() : this.#tryAttributes();
    return attributes ? this.#write(attributes, (url) => this.#point(url)) : [text];
  }

  /** Where a URI of this tag points to for a session. */
  #point(url: URL): readonly Piece[] {
    const { tag } = this.#line;
    if (playlistTags.includes(tag)) return [this.#child(url)];
    if (!keyTags.includes(tag) || !this.#context.rules.isOwnKey(url)) return [url.href];
    // A session in the source's own URI is another one's, or is out of date.
    url.searchParams.delete('s');
    url.hash = '';
    return [`${url.href}${url.search ? '&' : '?'}s=`, sessionId];
  }

  #define(): readonly Piece[] {
    const { url, parent } = this.#context;
    const attributes = this.#attributes();
    const imported: Variables = parent?.variables ?? new Map();
    const { name, value } = readDefinition(attributes, { url, imported, line: this.#line.number });
    this.#variables.set(name, value);
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
    const siblings = this.#context.parent?.children;
    let isListed = true;
    const pieces = this.#write(this.#attributes(), (url) => {
      const sibling = [...(siblings ?? [])].find(([, { href }]) => href === url.href);
      if (!sibling) isListed = false;
      return [sibling?.[0] ?? ''];
    });
    return isListed ? pieces : null;
  }

  #child(url: URL): URL {
    if (this.#context.rules.mayFetch(url)) return url;
    const where = url.protocol === 'data:' ? 'data:' : `${url.protocol}//${url.host}`;
    throw new PlaylistFault(
      `it lists a playlist at ${where}, which PLAYLIST_ORIGINS does not`,
      this.#line.number,
    );
  }

  #resolve(reference: string): URL {
    const filled = fillIn(reference, this.#variables, this.#line.number);
    const url = URL.parse(filled, this.#context.url.href);
    if (!url) throw new PlaylistFault('it has a URI that is malformed', this.#line.number);
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

/** The place of the session's id in a text. */
export const sessionId = Symbol('session');

/** Text, or the place of the session's id. */
export type Piece = string | typeof sessionId;

/** A playlist of one session, as it is sent. */
export interface WrittenText {
  readonly sizeBytes: number;
  /** Made when it is asked for. Each has some 64 KiB, and a longer one is a single line of the source. */
  pieces(): Iterable<string>;
}

/** Of a string of V8 and its place in a list, besides its characters. */
const stringBytes = 32;

/** Sent and written at once. A whole film has some 200 KiB, and a live playlist 4 KiB. */
export const pieceCharacters = 65_536;

/** A text that differs between sessions in their id alone. */
export class SessionText {
  /** Longer texts, or places of the id. */
  readonly #pieces: Piece[] = [];
  #part: string[] = [];
  #partLength = 0;
  #sizeBytes = 0;
  #memoryBytes = 0;
  #ids = 0;

  add(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      if (piece === sessionId) {
        this.#endPart();
        this.#pieces.push(piece);
        this.#ids++;
      } else {
        this.#part.push(piece);
        this.#partLength += piece.length;
      }
    }
    if (this.#partLength >= pieceCharacters) this.#endPart();
  }

  /** Joined at once: a text that grew by each piece would keep the pieces, and be put together for each answer. */
  #endPart(): void {
    if (this.#partLength === 0) return;
    const part = this.#part.join('');
    this.#pieces.push(part);
    const sizeBytes = Buffer.byteLength(part);
    this.#sizeBytes += sizeBytes;
    // V8 keeps a character of ASCII in one byte, and others in two at most.
    this.#memoryBytes += stringBytes + (sizeBytes === part.length ? sizeBytes : 2 * part.length);
    this.#part = [];
    this.#partLength = 0;
  }

  /** The most bytes that it takes in memory. */
  get memoryBytes(): number {
    this.#endPart();
    return this.#memoryBytes + this.#ids * stringBytes;
  }

  /** @param sid the id of the session: ASCII */
  write(sid: string): WrittenText {
    this.#endPart();
    return {
      sizeBytes: this.#sizeBytes + this.#ids * sid.length,
      pieces: () => this.#join(sid),
    };
  }

  *#join(sid: string): Generator<string, undefined> {
    let text: string[] = [];
    let length = 0;
    for (const piece of this.#pieces) {
      const next = piece === sessionId ? sid : piece;
      text.push(next);
      length += next.length;
      if (length < pieceCharacters) continue;
      yield text.join('');
      text = [];
      length = 0;
    }
    if (length > 0) yield text.join('');
  }
}

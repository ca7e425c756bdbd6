/** Names the content key of a whole content, or of one of its epochs. */
export interface KeyName {
  readonly contentId: string;
  /** 0 to 4294967295; undefined for content without epochs, whose key differs from the key of epoch 0. */
  readonly epoch: number | undefined;
}

/** The epochs of one content, as the playlists have them. */
export interface WrittenEpochs {
  /** One more than the last epoch. EXT-X-MEDIA-SEQUENCE may begin late, and then the first epochs have no segment. */
  readonly count: number;
  /** The longest epoch of any rendition, in milliseconds above zero. */
  readonly longestMs: number;
  /** The pace that playback at double speed needs: keys in each `longestMs`, 2 or more. */
  readonly speed: number;
}

/** A content whose keys a presentation has. */
export interface WrittenContent {
  readonly contentId: string;
  /** Null for one key throughout. */
  readonly epochs: WrittenEpochs | null;
}

/** Where content keys come from. */
export interface ContentKeySource {
  /** Called once for each content before `get`. The source of a server registers the content here. */
  prepare(content: WrittenContent, signal?: AbortSignal): Promise<void>;
  /** @returns 16 bytes (RFC 8216 section 4.3.2.4: AES-128) @throws AppError */
  get(name: KeyName, signal?: AbortSignal): Promise<Uint8Array>;
}

/** The part of a key URL after its base: `/keys/<contentId>[/<epoch>]`. */
export function keyPath({ contentId, epoch }: KeyName): string {
  return epoch === undefined ? `/keys/${contentId}` : `/keys/${contentId}/${epoch}`;
}

/**
 * Requests each key of another source only once, since the server counts and limits key requests. It also makes sure that
 * the key of a fingerprint is the one that encrypts. It lives no longer than one command.
 */
export function askOnce(source: ContentKeySource): ContentKeySource {
  const prepared = new Set<string>();
  const keys = new Map<string, Uint8Array>();
  return {
    async prepare(content, signal) {
      if (prepared.has(content.contentId)) return;
      await source.prepare(content, signal);
      prepared.add(content.contentId);
    },
    async get(name, signal) {
      const known = keys.get(keyPath(name));
      if (known) return known;
      const key = await source.get(name, signal);
      keys.set(keyPath(name), key);
      return key;
    },
  };
}

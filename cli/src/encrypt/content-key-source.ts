/** Which content key: of the content as a whole, or of one of its epochs. */
export interface KeyName {
  readonly contentId: string;
  /** 0 to 4294967295; undefined for content without epochs, which is another key than that of epoch 0. */
  readonly epoch: number | undefined;
}

/** Where content keys come from. */
export interface ContentKeySource {
  /** Called once for each content id before its keys are asked for: a server registers the content here. */
  prepare(contentId: string, signal?: AbortSignal): Promise<void>;
  /** @returns 16 bytes (RFC 8216 section 4.3.2.4: AES-128) @throws AppError */
  get(name: KeyName, signal?: AbortSignal): Promise<Uint8Array>;
}

/** The part of a key URL after its base: `/keys/<contentId>[/<epoch>]`. */
export function keyPath({ contentId, epoch }: KeyName): string {
  return epoch === undefined ? `/keys/${contentId}` : `/keys/${contentId}/${epoch}`;
}

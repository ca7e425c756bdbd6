import { hash } from 'node:crypto';

/** A KID of Common Encryption (ISO/IEC 23001-7 section 8.2). */
const keyIdBytes = 16;
/** Of the hash of the content id. With the bits of the UUID's form, 82 bits of it remain: no two contents of one server share them. */
const contentBytes = 11;
/** Position of the byte that shows whether an epoch follows. */
const kindAt = contentBytes;
const kinds = { whole: 0, epoch: 1 } as const;
const epochAt = kindAt + 1;

/**
 * The key id of a content key, for Common Encryption and CPIX: a UUID of version 8 (RFC 9562 section 5.8).
 *
 * | bytes | what |
 * |---|---|
 * | 0 to 10 | the beginning of SHA-256 of `latchkey kid <contentId>`, with the bits of version and variant |
 * | 11 | 1 if the key belongs to an epoch, else 0 |
 * | 12 to 15 | the epoch, or 0 |
 *
 * It needs no master key, so a packager without a server makes the same ones, and a server that has the content id reads the epoch from
 * one without a table. Key ids are public: media files contain them, as playlists contain epochs.
 *
 * @param epoch undefined for the key without an epoch, which differs from the key of epoch 0
 * @returns 16 bytes
 */
export function keyIdOf(contentId: string, epoch: number | undefined): Buffer {
  const keyId = Buffer.alloc(keyIdBytes);
  keyId.set(hash('sha256', `latchkey kid ${contentId}`, 'buffer').subarray(0, contentBytes));
  keyId.writeUInt8((keyId.readUInt8(6) & 0x0f) | 0x80, 6);
  keyId.writeUInt8((keyId.readUInt8(8) & 0x3f) | 0x80, 8);
  keyId.writeUInt8(epoch === undefined ? kinds.whole : kinds.epoch, kindAt);
  keyId.writeUInt32BE(epoch ?? 0, epochAt);
  return keyId;
}

/** Reads what {@link keyIdOf} has written. @returns null if the key id is not one of this content */
export function readKeyId(contentId: string, keyId: Buffer): { epoch: number | undefined } | null {
  if (keyId.length !== keyIdBytes) return null;
  const epoch = keyId.readUInt8(kindAt) === kinds.epoch ? keyId.readUInt32BE(epochAt) : undefined;
  return keyIdOf(contentId, epoch).equals(keyId) ? { epoch } : null;
}

/** A key id as a UUID in lower case. */
export function writeUuid(keyId: Buffer): string {
  return keyId.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

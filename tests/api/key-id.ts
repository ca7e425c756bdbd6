import { createHash } from 'node:crypto';

/** The key id of a content key in base64url, as docs/reference/contract.md#clear-key-licences describes it. */
export function keyIdOf(contentId: string, epoch?: number): string {
  const keyId = Buffer.alloc(16);
  keyId.set(createHash('sha256').update(`latchkey kid ${contentId}`).digest().subarray(0, 11));
  keyId.writeUInt8((keyId.readUInt8(6) % 16) + 0x80, 6);
  keyId.writeUInt8((keyId.readUInt8(8) % 64) + 0x80, 8);
  if (epoch !== undefined) {
    keyId.writeUInt8(1, 11);
    keyId.writeUInt32BE(epoch, 12);
  }
  return keyId.toString('base64url');
}

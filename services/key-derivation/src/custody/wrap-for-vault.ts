import { constants, createCipheriv, publicEncrypt, randomBytes } from 'node:crypto';

/** The initial value of AES Key Wrap with Padding (RFC 5649 section 3). */
const initialValue = Buffer.from('a65959a6', 'hex');
const wrappingKeyBytes = 32;

/**
 * Wraps a key for the import into Vault's transit engine: under an AES key that is made for it (RFC 5649), which goes encrypted under
 * Vault's public key (RSA-OAEP with SHA-256, RFC 8017 section 7.1).
 *
 * @param publicKey PEM, as `wrapping_key` gives it
 * @returns base64 of both, the encrypted AES key first
 */
export function wrapForVault(publicKey: string, key: Buffer): string {
  const wrappingKey = randomBytes(wrappingKeyBytes);
  const cipher = createCipheriv('id-aes256-wrap-pad', wrappingKey, initialValue);
  const wrapped = Buffer.concat([cipher.update(key), cipher.final()]);
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  const encrypted = publicEncrypt({ key: publicKey, padding, oaepHash: 'sha256' }, wrappingKey);
  wrappingKey.fill(0);
  return Buffer.concat([encrypted, wrapped]).toString('base64');
}

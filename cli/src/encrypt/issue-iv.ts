/** AES has a block of 16 bytes, and so has its initialization vector (RFC 8216 section 5.2). */
const ivOctets = 16;

/** Gives an initialization vector of 16 bytes that it has not given before. */
export type IssueIv = () => Buffer;

/**
 * Random vectors, as CBC wants them unpredictable (NIST SP 800-38A appendix C). Numbered ones would repeat key and
 * vector whenever other media is encrypted under the same content id.
 *
 * @param randomOctets a cryptographic source; one that repeats itself is refused
 */
export function createIvIssuer(randomOctets: (count: number) => Uint8Array): IssueIv {
  const issued = new Set<string>();
  return () => {
    const iv = Buffer.from(randomOctets(ivOctets));
    const name = iv.toString('hex');
    if (iv.length !== ivOctets || issued.has(name)) {
      throw new Error('the source of randomness repeats itself; nothing may be encrypted with it');
    }
    issued.add(name);
    return iv;
  };
}

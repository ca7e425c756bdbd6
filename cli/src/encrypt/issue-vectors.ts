/** The block of AES, and so its initialization vector (RFC 8216 section 5.2). */
const ivBytes = 16;
/** Epochs whose vectors are remembered: a late rendition is at most one period behind the others. */
const rememberedEpochs = 4;

export type VectorIssuer = ReturnType<typeof createVectorIssuer>;

/**
 * Makes initialization vectors. They are random. A rule that counts would need state that survives kills, copies of the folder, and packagers that start
 * their numbers again under the same key; the same number with other bytes would repeat key and vector. 128 random bits need no
 * state: after 2^40 segments under one key, a repetition has a probability of 2^-49. CBC needs unpredictable vectors anyway
 * (NIST SP 800-38A appendix C).
 *
 * @param randomBytes a cryptographic source; one that repeats itself is refused
 */
export function createVectorIssuer(randomBytes: (count: number) => Uint8Array) {
  const issued = new Map<number, Set<string>>();
  const of = (epoch: number): Set<string> => {
    const known = issued.get(epoch) ?? new Set<string>();
    issued.delete(epoch);
    issued.set(epoch, known);
    for (const old of [...issued.keys()].slice(0, -rememberedEpochs)) issued.delete(old);
    return known;
  };
  return {
    /** @returns 32 hex digits that were not given before for this epoch */
    issue(epoch: number): string {
      const iv = Buffer.from(randomBytes(ivBytes));
      const name = iv.toString('hex');
      const known = of(epoch);
      if (iv.length !== ivBytes || known.has(name)) {
        throw new Error('the source of randomness repeats itself; nothing may be encrypted with it');
      }
      known.add(name);
      return name;
    },
    /** A vector that an earlier process has used. */
    remember: (epoch: number, iv: string) => void of(epoch).add(iv),
  };
}

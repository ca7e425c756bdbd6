/** Marsaglia's xorshift32: the same numbers come again with the same seed. Gives whole numbers from 0 up to `below`. */
export function createRandom(seed: number): (below: number) => number {
  let x = seed | 1;
  return (below) => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) % below;
  };
}

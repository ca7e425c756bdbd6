/** Marsaglia's xorshift32: the same seed gives the same numbers. Returns whole numbers from 0 to `below` - 1. */
export function createRandom(seed: number): (below: number) => number {
  let x = seed | 1;
  return (below) => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) % below;
  };
}

import { timingSafeEqual } from 'node:crypto';

/**
 * Compares two SHA-256 hashes (64 hex digits each) in constant time, so that the time of an answer tells nothing about a
 * configured credential.
 */
export function isSameHash(presented: string, expected: string): boolean {
  const left = Buffer.from(presented, 'hex');
  const right = Buffer.from(expected, 'hex');
  return left.length === right.length && timingSafeEqual(left, right);
}

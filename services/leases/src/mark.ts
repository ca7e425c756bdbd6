import { AppError } from '@latchkey/shared/errors';
import type { LeaseSelector } from './lease-selector.ts';

/** A revocation that outlives the leases: `docs/reference/contract.md#marks`. */
export interface Mark extends LeaseSelector {
  /** Milliseconds since 1970. */
  markedAt: number;
}

/**
 * The id of a mark contains its viewer, content and time. So a mark that a later revocation has moved forward has another id, and is not lifted by
 * an admin who has not seen that revocation.
 */
export function formatMarkId({ viewerId, contentId, markedAt }: Mark): string {
  return Buffer.from(JSON.stringify([viewerId, contentId, markedAt])).toString('base64url');
}

/** @returns null for a text that is not the id of a mark */
export function parseMarkId(id: string): Mark | null {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(id, 'base64url').toString());
  } catch {
    return null;
  }
  if (!Array.isArray(parts) || parts.length !== 3) return null;
  const [viewerId, contentId, markedAt] = parts as unknown[];
  if (!isName(viewerId) || !isName(contentId) || !Number.isSafeInteger(markedAt)) return null;
  const mark = { viewerId, contentId, markedAt: markedAt as number };
  // Each mark has one spelling, and Postgres stores no NUL in a text.
  return formatMarkId(mark) === id && !JSON.stringify(parts).includes('\\u0000') ? mark : null;
}

function isName(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && value !== '');
}

/** For an id that names no mark. */
export function markNotFound(): AppError {
  return new AppError('NOT_FOUND', {
    detail:
      'No such mark. It may have lapsed, have been lifted, or have been moved forward by a later revocation.',
  });
}

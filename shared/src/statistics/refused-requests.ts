import type { TokenContents } from '../contracts/index.ts';
import { redactId } from '../log/index.ts';

/** A refused request for a key or a lease. */
export interface RefusedRequest {
  /** Wall clock of its answer, milliseconds since 1970. */
  at: number;
  kind: 'key' | 'lease';
  status: number;
  code: string;
  /** Null where the request had no credential that was accepted, or that of a session. */
  viewerId: string | null;
  /** The `iat` of its token, milliseconds since 1970; null if it has none. Missing where this process did not read a token. */
  issuedAt?: number | null;
  /** Contents that its token opens (`keepContents`); null if it opens all. Missing as above. */
  contentIds?: string[] | null;
  /** UUID of the API key that asked; null for another credential. */
  apiKeyId: string | null;
  /** Null where the path names none: leases name theirs in the body. */
  contentId: string | null;
  epoch: number | null;
  leaseId: string | null;
  clientIp: string;
  requestId: string;
}

/**
 * Some half a kilobyte each. An admin looks at what is refused now; what was refused over days is counted elsewhere.
 */
const keptOfEach = 250;

/**
 * The latest refusals of this process, in its memory alone. Those without a caller that is known are kept apart: strangers can
 * make any number of them, and would push out what an admin looks for.
 */
export class RefusedRequests {
  readonly #known: RefusedRequest[] = [];
  readonly #strangers: RefusedRequest[] = [];

  note(refused: RefusedRequest): void {
    const isKnown = refused.viewerId !== null || refused.apiKeyId !== null || refused.leaseId !== null;
    const kept = isKnown ? this.#known : this.#strangers;
    kept.push(refused);
    if (kept.length > keptOfEach) kept.shift();
  }

  /** The latest, newest first. */
  latest(limit: number): RefusedRequest[] {
    return [...this.#known, ...this.#strangers].sort((a, b) => b.at - a.at).slice(0, limit);
  }
}

/** Ids of contents that a refusal keeps of its token: enough to see what was bought. A token may name hundreds. */
const keptContents = 10;

/**
 * The ids that a refusal keeps of its token's content claim, that of the request first, so that the same decision can be asked for again.
 * An id that contains a credential is left out.
 *
 * @param asked the content of the request
 */
export function keepContents(contents: TokenContents, asked: string | null): string[] {
  const kept = asked !== null && contents.has(asked) ? [asked] : [];
  for (const id of contents.values()) {
    if (kept.length === keptContents) break;
    // A copy, because a part of a text would keep the whole claim in memory.
    if (id !== asked && redactId(id) === id) kept.push(Buffer.from(id).toString());
  }
  return kept;
}

/** What a path of a key or a licence names. */
const keyPath = /^\/(?:keys|licenses\/clearkey)\/([A-Za-z0-9_-]{1,256})(?:\/(\d{1,10}))?(?:[/?]|$)/;

/** The content and the epoch that the path of a key request names; null for those that it does not. */
export function readKeyPath(path: string): { contentId: string | null; epoch: number | null } {
  const [, contentId = null, epoch] = keyPath.exec(path) ?? [];
  return { contentId, epoch: epoch === undefined ? null : Number(epoch) };
}

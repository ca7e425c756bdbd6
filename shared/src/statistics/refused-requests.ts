/** A refused request for a key or a lease. */
export interface RefusedRequest {
  /** Wall clock of its answer, milliseconds since 1970. */
  at: number;
  kind: 'key' | 'lease';
  status: number;
  code: string;
  /** Null where the request had no credential that was accepted, or that of a session. */
  viewerId: string | null;
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

/** What a path of a key or a licence names. */
const keyPath = /^\/(?:keys|licenses\/clearkey)\/([A-Za-z0-9_-]{1,256})(?:\/(\d{1,10}))?(?:[/?]|$)/;

/** The content and the epoch that the path of a key request names; null for those that it does not. */
export function readKeyPath(path: string): { contentId: string | null; epoch: number | null } {
  const [, contentId = null, epoch] = keyPath.exec(path) ?? [];
  return { contentId, epoch: epoch === undefined ? null : Number(epoch) };
}

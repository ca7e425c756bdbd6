import type { TokenContents } from '../contracts/index.ts';
import { redactId } from '../log/index.ts';
import type { RefusedRequest } from './process-report.ts';

/**
 * Some half a kilobyte each. An admin looks at what is refused now; what was refused over days is counted elsewhere.
 */
const keptOfEach = 250;

/** The latest refusals, at most `keptOfEach`. A flood of one code pushes out its own, so that rare codes have rows too. */
class LatestRefusals {
  readonly rows: RefusedRequest[] = [];
  readonly #counts = new Map<string, number>();

  add(refused: RefusedRequest): void {
    this.rows.push(refused);
    this.#count(refused.code, 1);
    if (this.rows.length <= keptOfEach) return;
    const [most] = [...this.#counts].reduce((a, b) => (b[1] > a[1] ? b : a));
    this.rows.splice(
      this.rows.findIndex(({ code }) => code === most),
      1,
    );
    this.#count(most, -1);
  }

  #count(code: string, change: 1 | -1): void {
    this.#counts.set(code, (this.#counts.get(code) ?? 0) + change);
  }
}

/**
 * The latest refusals of this process, in its memory alone. Those without a caller that is known are kept apart: strangers can
 * make any number of them, and would push out what an admin looks for.
 */
export class RefusedRequests {
  readonly #known = new LatestRefusals();
  readonly #strangers = new LatestRefusals();

  note(refused: RefusedRequest): void {
    const isKnown = refused.viewerId !== null || refused.apiKeyId !== null || refused.leaseId !== null;
    (isKnown ? this.#known : this.#strangers).add(refused);
  }

  /** The latest, newest first. */
  latest(limit: number): RefusedRequest[] {
    return [...this.#known.rows, ...this.#strangers.rows].sort((a, b) => b.at - a.at).slice(0, limit);
  }
}

/** Ids of contents that a refusal keeps of its token: enough to see what was bought. A token may name hundreds. */
const keptContents = 10;

/**
 * The ids that a refusal keeps of its token's content claim. The content of the request is first, so that the same decision can be asked
 * for again. An id that contains a credential is left out.
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

/** The content and the epoch in the path of a key or a licence. */
const keyPath = /^\/(?:keys|licenses\/clearkey)\/([A-Za-z0-9_-]{1,256})(?:\/(\d{1,10}))?(?:[/?]|$)/;

/** The content and the epoch that the path of a key request names; null for each that it does not name. */
export function readKeyPath(path: string): { contentId: string | null; epoch: number | null } {
  const [, contentId = null, epoch] = keyPath.exec(path) ?? [];
  return { contentId, epoch: epoch === undefined ? null : Number(epoch) };
}

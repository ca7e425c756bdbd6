/** A CDN in small. It keeps what it has fetched as `Cache-Control` says (RFC 9111 section 5.2.2). */
export interface CachingProxy {
  get(path: string): Promise<Buffer>;
  /** The paths that were fetched from the origin, in order. */
  readonly fetched: string[];
  /** Moves its clock, which stands still otherwise. */
  advance(seconds: number): void;
}

/** CloudFront keeps an object without `Cache-Control` for so long (its guide, "Managing how long content stays in the cache"). */
const unstatedSeconds = 86_400;

/** @param origin a URL without a slash at its end, to which paths are added */
export function createCachingProxy(origin: string): CachingProxy {
  let now = 0;
  const kept = new Map<string, { readonly bytes: Buffer; readonly until: number }>();
  const fetched: string[] = [];
  return {
    fetched,
    async get(path) {
      const known = kept.get(path);
      if (known && now < known.until) return known.bytes;
      fetched.push(path);
      const answer = await fetch(`${origin}${path}`);
      if (!answer.ok) throw new Error(`${path} answers ${answer.status}`);
      const bytes = Buffer.from(await answer.arrayBuffer());
      kept.set(path, { bytes, until: now + readLife(answer.headers.get('cache-control')) });
      return bytes;
    },
    advance(seconds) {
      now += seconds;
    },
  };
}

function readLife(cacheControl: string | null): number {
  if (cacheControl === null) return unstatedSeconds;
  if (/no-cache|no-store|private/.test(cacheControl)) return 0;
  return Number(/max-age=(\d+)/.exec(cacheControl)?.[1] ?? unstatedSeconds);
}

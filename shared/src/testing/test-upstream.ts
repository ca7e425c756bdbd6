import { onTestFinished } from 'vitest';
import { createInternalClient, type InternalClient } from '../internal/internal-client.ts';
import { createUpstream, type Upstream, type UpstreamOptions } from '../upstream/index.ts';

/** An upstream of these addresses, until the end of the test. */
export function openUpstream(urls: readonly string[], options: Partial<UpstreamOptions> = {}): Upstream {
  const upstream = createUpstream({
    urls,
    lookup: async () => [],
    connections: 8,
    onFault: () => {},
    ...options,
  });
  onTestFinished(() => upstream.close());
  return upstream;
}

interface ClientOptions extends Partial<UpstreamOptions> {
  secret?: string;
  /** Tests with the default check the answers, not their speed. Null is the limit of service. */
  answerTimeoutMs?: number | null;
}

/** A client of the service at these addresses, and why its calls failed, as its log shows them to the operator. */
export function connectService(
  urls: readonly string[],
  { secret = 's3cret', answerTimeoutMs = 60_000, ...options }: ClientOptions = {},
): InternalClient & { faults: string[] } {
  const faults: string[] = [];
  const client = createInternalClient({
    name: 'leases',
    upstream: openUpstream(urls, options),
    secret,
    ...(answerTimeoutMs !== null && { answerTimeoutMs }),
    onFault: (_, error) => void faults.push((error as Error).message),
  });
  return { ...client, faults };
}

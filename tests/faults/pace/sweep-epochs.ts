import { Agent, request } from 'undici';

/** A request of a sweep, for the key of one epoch. */
export interface SweepRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a sweep got. Times are those of this process. */
export interface SweepResult {
  /** The epochs whose keys were served. */
  readonly served: ReadonlySet<number>;
  /** Other answers than a key and the refusal of the pace, by status and code. */
  readonly others: Readonly<Record<string, number>>;
  readonly requests: number;
  /** From before the first request until after the last answer. */
  readonly elapsedMs: number;
  /** The longest time from a request to its answer. */
  readonly slowestMs: number;
  /** 99 of 100 answers came within this time. */
  readonly p99Ms: number;
}

export interface SweepOptions {
  readonly origin: string;
  readonly connections: number;
  /** Whether each request has a connection of its own. */
  readonly reconnects?: boolean;
  readonly requestOf: (epoch: number) => SweepRequest;
  /** The epoch of the next request; undefined where the sweep is over. */
  readonly nextEpoch: () => number | undefined;
}

/** Longer than the gateway waits for a service. */
const patienceMs = 12_000;

/** Asks for the keys of epochs, over this many connections at a time. */
export async function sweepEpochs(options: SweepOptions): Promise<SweepResult> {
  const { origin, connections, reconnects = false, requestOf, nextEpoch } = options;
  const served = new Set<number>();
  const others: Record<string, number> = {};
  const tookMs: number[] = [];
  const dispatcher = new Agent({ connections, pipelining: 1 });
  const startedAtMs = performance.now();

  async function ask(epoch: number): Promise<void> {
    const { path, headers } = requestOf(epoch);
    const sentAtMs = performance.now();
    const outcome = await request(`${origin}${path}`, {
      dispatcher,
      headers,
      reset: reconnects,
      signal: AbortSignal.timeout(patienceMs),
    }).then(
      async ({ statusCode, body }) => ({ status: statusCode, bytes: Buffer.from(await body.arrayBuffer()) }),
      (error: NodeJS.ErrnoException) => ({ status: 0, bytes: Buffer.from(error.code ?? error.name) }),
    );
    tookMs.push(performance.now() - sentAtMs);
    note(epoch, outcome.status, outcome.bytes);
  }
  function note(epoch: number, status: number, bytes: Buffer): void {
    if (status === 200 && bytes.length === 16) {
      served.add(epoch);
      return;
    }
    const code = /"code":"(\w+)"/.exec(bytes.toString())?.[1] ?? bytes.toString('latin1', 0, 40);
    if (status === 429 && code === 'KEY_PACE_EXCEEDED') return;
    const name = `${status} ${code}`;
    others[name] = (others[name] ?? 0) + 1;
  }
  async function work(): Promise<void> {
    for (let epoch = nextEpoch(); epoch !== undefined; epoch = nextEpoch()) await ask(epoch);
  }
  await Promise.all(Array.from({ length: connections }, work));
  const elapsedMs = performance.now() - startedAtMs;
  await dispatcher.close();
  tookMs.sort((a, b) => a - b);
  return {
    served,
    others,
    requests: tookMs.length,
    elapsedMs,
    slowestMs: tookMs.at(-1) ?? 0,
    p99Ms: tookMs[Math.floor(tookMs.length * 0.99)] ?? 0,
  };
}

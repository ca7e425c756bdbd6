import type { EndedSpan } from './otlp-json.ts';

/** The defaults of OpenTelemetry's batch processor (`OTEL_BSP_…`). A span takes some 500 bytes here, so a full queue takes 1 MB. */
const limits = { queued: 2_048, batch: 512, everyMs: 5_000 };
/** The default of `OTEL_EXPORTER_OTLP_TIMEOUT`. */
const answerLimitMs = 10_000;
/** Answers after which the same batch may be accepted later (OTLP, "Retryable Response Codes"). */
const retryable = new Set([429, 502, 503, 504]);
/** A batch that was refused so often is dropped: newer spans are worth more. */
const triesAtMost = 5;

interface SpanQueueOptions {
  /** `…/v1/traces`. */
  url: string;
  headers: Readonly<Record<string, string>>;
  format: (spans: readonly EndedSpan[]) => string;
  /** Called for each batch that could not be sent. The error names no header and no span. */
  onFault: (error: unknown) => void;
}

export interface SpanQueue {
  add(span: EndedSpan): void;
  /** Sends what is left, without another try. Takes no more spans. */
  close(): Promise<void>;
}

/** Thrown for an answer of the collector. */
class CollectorRefused extends Error {
  readonly mayBeRepeated: boolean;

  constructor(status: number) {
    super(`the collector answered ${status}`);
    this.mayBeRepeated = retryable.has(status);
  }
}

/**
 * Sends spans in batches, one request at a time. No request of a viewer waits for it: while the collector is away, spans beyond the
 * queue's length are dropped.
 */
export function createSpanQueue({ url, headers, format, onFault }: SpanQueueOptions): SpanQueue {
  let queued: EndedSpan[] = [];
  let dropped = 0;
  let tries = 0;
  let sending: Promise<void> | null = null;
  let isClosed = false;

  async function sendBatch(): Promise<void> {
    const batch = queued.slice(0, limits.batch);
    try {
      await post(url, headers, format(batch));
    } catch (error) {
      tries++;
      const mayBeRepeated = !(error instanceof CollectorRefused) || error.mayBeRepeated;
      const repeats = mayBeRepeated && tries < triesAtMost && !isClosed;
      onFault(describe(error, dropped + (repeats ? 0 : batch.length)));
      if (repeats) return;
    }
    tries = 0;
    dropped = 0;
    queued = queued.slice(batch.length);
  }

  function flush(): Promise<void> {
    sending ??= (async () => {
      do await sendBatch();
      while (tries === 0 && queued.length >= limits.batch);
    })().finally(() => {
      sending = null;
    });
    return sending;
  }

  const timer = setInterval(() => queued.length > 0 && void flush(), limits.everyMs);
  timer.unref();
  return {
    add(span) {
      if (isClosed || queued.length >= limits.queued) {
        dropped++;
        return;
      }
      queued.push(span);
      // After a failure the interval decides, so that a collector that is away is not asked all the time.
      if (queued.length >= limits.batch && !sending && tries === 0) void flush();
    },
    async close() {
      isClosed = true;
      clearInterval(timer);
      await sending;
      while (queued.length > 0) await sendBatch();
    },
  };
}

async function post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
    // A redirect must not get the headers, which may hold a credential.
    redirect: 'error',
    signal: AbortSignal.timeout(answerLimitMs),
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new CollectorRefused(answer.status);
}

/** An error of `fetch` has its reason in its cause. The same text for the same reason, because repetitions are logged once a minute. */
function describe(error: unknown, lost: number): Error {
  const { message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
  const reason = cause?.code ?? cause?.message ?? message;
  return new Error(lost > 0 ? `${reason}; spans are lost` : `${reason}; it is tried again`);
}

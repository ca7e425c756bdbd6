import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenOnLoopback } from '@latchkey/support/black-box/listen-on-loopback';

/** A span as OTLP/JSON has it, and the process that sent it. */
interface ReceivedSpan {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  kind: number;
  /** Nanoseconds since 1970. */
  startedAt: bigint;
  endedAt: bigint;
  attributes: Record<string, string>;
}

export interface OtlpReceiver {
  url: string;
  /** Every body, as it came. */
  texts: string[];
  headers: Record<string, string | string[] | undefined>[];
  spans(): ReceivedSpan[];
  close(): void;
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: string; doubleValue?: number };
}

const toRecord = (attributes: Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]));

/** Takes traces as a collector of OpenTelemetry does: OTLP in JSON at `/v1/traces`. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const texts: string[] = [];
  const headers: OtlpReceiver['headers'] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const isTraces = request.method === 'POST' && request.url === '/v1/traces';
    if (isTraces) {
      texts.push(body);
      headers.push(request.headers);
    }
    response.writeHead(isTraces ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
  });
  const { origin, close } = await listenOnLoopback(server);
  return {
    url: origin,
    close,
    texts,
    headers,
    spans: () => texts.flatMap(readSpans),
  };
}

function readSpans(body: string): ReceivedSpan[] {
  return JSON.parse(body).resourceSpans.flatMap(
    // biome-ignore lint/suspicious/noExplicitAny: a test reads the received spans, and fails if they have another form.
    ({ resource, scopeSpans }: any) =>
      // biome-ignore lint/suspicious/noExplicitAny: as above
      scopeSpans.flatMap(({ spans }: any) =>
        // biome-ignore lint/suspicious/noExplicitAny: as above
        spans.map((span: any) => ({
          ...span,
          service: toRecord(resource.attributes)['service.name'],
          startedAt: BigInt(span.startTimeUnixNano),
          endedAt: BigInt(span.endTimeUnixNano),
          attributes: toRecord(span.attributes),
        })),
      ),
  );
}

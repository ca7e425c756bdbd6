import { BatchSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace';

/** Their values are names that the code chose. */
const listed = new Set([
  'http.request.method',
  'http.route',
  'http.response.status_code',
  'error.type',
  'retries',
  'db.system.name',
  'db.operation.name',
  'db.collection.name',
  'messaging.system',
]);

/** Sends spans in batches, and of each only its name, status and listed attributes: all else may hold ids, paths or the text of an error. */
export class ListedSpans extends BatchSpanProcessor {
  override onEnd(span: ReadableSpan): void {
    for (const name of Object.keys(span.attributes)) if (!listed.has(name)) delete span.attributes[name];
    span.events.length = 0;
    span.links.length = 0;
    delete span.status.message;
    super.onEnd(span);
  }
}

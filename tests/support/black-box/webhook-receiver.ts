import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenOnLoopback } from './listen-on-loopback.ts';

/** A message as the receiver got it. */
interface ReceivedMessage {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  type: string;
  data: Record<string, unknown>;
}

export interface WebhookReceiver {
  origin: string;
  /** In the order of their arrival. */
  messages: ReceivedMessage[];
  /** The answer from now on: a status, or none. */
  answer: number | 'nothing';
  /** Headers of its answers. */
  headers: Record<string, string>;
  close(): void;
}

/** A receiver of webhooks on the loopback interface. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { type = '', data = {} } = body === '' ? {} : JSON.parse(body);
    receiver.messages.push({ path: request.url ?? '', headers: request.headers, body, type, data });
    if (receiver.answer !== 'nothing') response.writeHead(receiver.answer, receiver.headers).end();
  });
  const { origin, close } = await listenOnLoopback(server);
  const receiver: WebhookReceiver = { origin, close, messages: [], answer: 204, headers: {} };
  return receiver;
}

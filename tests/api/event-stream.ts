import { request } from 'undici';

interface ServerSentEvent {
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the members of the events that it looks for.
  data: any;
}

/** An open `GET /api/v1/events`. */
export interface EventStream {
  headers: Record<string, unknown>;
  /** The events so far. */
  events: ServerSentEvent[];
  /** Whether the server has ended the stream. */
  ended(): boolean;
  close(): void;
}

/** Opens the stream and reads it (HTML, section 9.2.6). Resolves once the server has answered. */
export async function openEvents(url: string, credential: string): Promise<EventStream> {
  const { statusCode, headers, body } = await request(`${url}/api/v1/events`, {
    headers: { authorization: `Bearer ${credential}`, accept: 'text/event-stream' },
    // A stream without events is silent.
    bodyTimeout: 0,
  });
  if (statusCode !== 200) throw new Error(`the stream answered ${statusCode}`);
  const events: ServerSentEvent[] = [];
  let text = '';
  let ended = false;
  body.setEncoding('utf8');
  body.on('data', (chunk: string) => {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const field = (name: string) => block.match(new RegExp(`^${name}: (.*)$`, 'm'))?.[1];
      const data = field('data');
      if (data !== undefined) events.push({ event: field('event') ?? 'message', data: JSON.parse(data) });
    }
  });
  body.on('close', () => {
    ended = true;
  });
  body.on('error', () => {});
  return { headers, events, ended: () => ended, close: () => body.destroy() };
}

/** One event of a stream of server-sent events (HTML, section 9.2.6). */
export interface ServerSentEvent {
  /** `message` if the stream does not name the event. */
  name: string;
  /** The `data` lines, joined by line breaks; empty for a block that only sets the ID. */
  data: string;
  /** The latest ID that the stream has set, or null. */
  id: string | null;
}

/**
 * Parses a stream in pieces, which can end anywhere.
 *
 * @returns takes the next piece and returns the events that are complete by then, without comments
 */
export function createEventParser(): (piece: string) => ServerSentEvent[] {
  let rest = '';
  let id: string | null = null;
  return (piece) => {
    const blocks = (rest + piece).replaceAll('\r\n', '\n').split('\n\n');
    rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const fields = block.split('\n').map(readField);
      id = fields.findLast(([name]) => name === 'id')?.[1] ?? id;
      const data = fields.filter(([name]) => name === 'data').map(([, value]) => value);
      if (data.length === 0 && !fields.some(([name]) => name === 'id')) return [];
      const name = fields.findLast(([field]) => field === 'event')?.[1] ?? 'message';
      return [{ name, data: data.join('\n'), id }];
    });
  };
}

/** Splits a line into name and value. The name of a comment is empty. */
function readField(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
}

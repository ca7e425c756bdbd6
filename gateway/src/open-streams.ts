import type { ServerResponse } from 'node:http';

/** Event streams that are open to clients. */
export interface OpenStreams {
  add(answer: ServerResponse): void;
  /** Ends all streams at once, and each one that is added later. */
  close(): void;
}

/** An event stream never ends by itself, so it would keep the process from ending. */
export function createOpenStreams(): OpenStreams {
  const open = new Set<ServerResponse>();
  let closed = false;
  return {
    add(answer) {
      if (closed) {
        answer.end();
        return;
      }
      open.add(answer);
      answer.once('close', () => open.delete(answer));
    },
    close() {
      closed = true;
      for (const answer of open) answer.end();
    },
  };
}

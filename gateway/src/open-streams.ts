import type { ServerResponse } from 'node:http';

/** Answers without end that are on their way to clients. */
export interface OpenStreams {
  add(answer: ServerResponse): void;
  /** Ends all of them, and all that are added later, at once. */
  close(): void;
}

/** An open stream would hold the end of the process, as nothing in it ever ends by itself. */
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

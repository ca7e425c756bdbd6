import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Answer, OpenOrder, Order, RunOrder, RunResult } from './order.ts';

/** The load generator, in its own process. It executes one order at a time. */
export interface Loader {
  /** Connects viewers, in place of the earlier ones. */
  open(order: OpenOrder): Promise<void>;
  run(order: RunOrder): Promise<RunResult>;
  /** Closes every connection. */
  close(): Promise<void>;
  stop(): void;
}

export function startLoader(): Loader {
  const child = fork(join(import.meta.dirname, 'loader-process.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  async function order(it: Order): Promise<unknown> {
    const gone = new AbortController();
    const end = () => gone.abort(new Error('the load generator ended'));
    child.once('exit', end);
    child.send(it);
    try {
      const [answer] = (await once(child, 'message', { signal: gone.signal })) as [Answer];
      if ('error' in answer) throw new Error(answer.error);
      return answer.result;
    } finally {
      child.off('exit', end);
    }
  }
  return {
    open: async (opened) => void (await order({ kind: 'open', ...opened })),
    run: async (run) => (await order({ kind: 'run', ...run })) as RunResult,
    close: async () => void (await order({ kind: 'close' })),
    stop: () => child.disconnect(),
  };
}

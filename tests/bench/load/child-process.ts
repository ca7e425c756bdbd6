import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A load generator in its own process. It executes one order at a time. */
export interface LoadProcess<Order, Result> {
  pid: number;
  /** @throws Error if the order fails, or the process ends */
  order(it: Order): Promise<Result>;
  stop(): void;
}

type Answer<Result> = { result: Result } | { error: string };

/** @param file in this folder */
export function startLoadProcess<Order extends object, Result>(file: string): LoadProcess<Order, Result> {
  const child = fork(join(import.meta.dirname, file), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  return {
    pid: child.pid ?? 0,
    async order(it) {
      const gone = new AbortController();
      const end = () => gone.abort(new Error('the load generator ended'));
      child.once('exit', end);
      child.send(it);
      try {
        const [answer] = (await once(child, 'message', { signal: gone.signal })) as [Answer<Result>];
        if ('error' in answer) throw new Error(answer.error);
        return answer.result;
      } finally {
        child.off('exit', end);
      }
    },
    stop: () => child.disconnect(),
  };
}

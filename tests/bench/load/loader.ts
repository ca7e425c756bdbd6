import { startLoadProcess } from './child-process.ts';
import type { OpenOrder, Order, RunOrder, RunResult } from './order.ts';

/** The load generator of many viewers, in its own process. It executes one order at a time. */
export interface Loader {
  /** Connects viewers, in place of the earlier ones. */
  open(order: OpenOrder): Promise<void>;
  run(order: RunOrder): Promise<RunResult>;
  /** Closes every connection. */
  close(): Promise<void>;
  stop(): void;
}

export function startLoader(): Loader {
  const { order, stop } = startLoadProcess<Order, unknown>('loader-process.ts');
  return {
    open: async (opened) => void (await order({ kind: 'open', ...opened })),
    run: async (run) => (await order({ kind: 'run', ...run })) as RunResult,
    close: async () => void (await order({ kind: 'close' })),
    stop,
  };
}

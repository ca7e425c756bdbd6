import { type Bus, type BusMessage, createInProcessBus } from '@latchkey/shared/events';
import { type Calls, createCalls, type Message } from './calls.ts';
import type { WorkerTask } from './pool-worker.ts';

/** The parent, as a worker sees it. */
export interface ParentConnection {
  task: Promise<WorkerTask>;
  /** Carries what the parent announces. */
  bus: Bus;
  calls: Calls;
  /**
   * Call it after the port is closed, before the process ends. The parent hands its connections over through this channel, so some may
   * still be on their way. Whoever does not take them gives them back, and they are lost where nobody does. Messages keep their order,
   * so the answer to a call comes after all of them.
   */
  drainChannel(): Promise<void>;
  /** @param done called once the message was handed to the system, or cannot be */
  send(message: Message, done?: () => void): void;
  onDrain(listener: () => void): void;
  /** The listener gets how long to answer on before it closes, in milliseconds. */
  onEnd(listener: (drainMs: number) => void): void;
  /** What the parent may call. */
  serve(name: string, handler: (argument: never) => unknown): void;
}

/** Half of what the pool leaves a worker for its end, 15 s. */
const drainLimitMs = 7_500;

/** Call it first: messages that come earlier are lost. Node ends a worker whose parent is gone. */
export function connectParent(process: NodeJS.Process): ParentConnection {
  const send = (message: Message, done = () => {}) => {
    if (process.connected && process.send) process.send(message, undefined, undefined, () => done());
    else done();
  };
  const handlers: Record<string, (argument: never) => unknown> = {};
  const calls = createCalls(send, handlers);
  const bus = createInProcessBus(() => {});
  let onDrain = () => {};
  let onEnd: (drainMs: number) => void = () => {};
  const task = new Promise<WorkerTask>((resolve) => {
    process.on('message', (message: Message) => {
      if (calls.receive(message)) return;
      if (message.type === 'announcement') {
        bus.publish(message.message as BusMessage);
        send({ type: 'applied', number: message.number });
      } else if (message.type === 'task') resolve(message as unknown as WorkerTask);
      else if (message.type === 'drain') onDrain();
      else if (message.type === 'end') onEnd(Number(message.drainMs));
    });
  });
  return {
    task,
    bus,
    calls,
    // A parent that does not answer for so long cannot give the connections to others either.
    drainChannel: () => calls.call<void>('drained', null, drainLimitMs).catch(() => {}),
    send,
    onDrain(listener) {
      onDrain = listener;
    },
    onEnd(listener) {
      onEnd = listener;
    },
    serve(name, handler) {
      handlers[name] = handler;
    },
  };
}

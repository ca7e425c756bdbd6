/** A message between the parent and a worker. */
export type Message = { readonly type: string } & Readonly<Record<string, unknown>>;

/** The other side did not answer within the limit of the call. */
export class CallUnanswered extends Error {}

type Handlers = Readonly<Record<string, (argument: never) => unknown>>;

/** Calls over a channel of messages, in both directions. */
export interface Calls {
  /** @throws CallUnanswered after the limit; Error if the other side fails or is gone */
  call<T>(name: string, argument: unknown, limitMs: number): Promise<T>;
  /** @returns whether the message belonged to a call */
  receive(message: Message): boolean;
  /** The other side is gone: every open call fails. */
  end(): void;
}

interface OpenCall {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * @param send returns false or throws where the channel is closed
 * @param handlers what the other side may call
 */
export function createCalls(send: (message: Message) => void, handlers: Handlers): Calls {
  const open = new Map<number, OpenCall>();
  let lastId = 0;

  async function answer({ id, name, argument }: Message): Promise<void> {
    try {
      const handler = Object.hasOwn(handlers, String(name)) ? handlers[String(name)] : undefined;
      if (!handler) throw new Error(`${name} cannot be called`);
      send({ type: 'answer', id, value: await handler(argument as never) });
    } catch (error) {
      send({ type: 'answer', id, fault: String(error) });
    }
  }

  return {
    call<T>(name: string, argument: unknown, limitMs: number) {
      const id = ++lastId;
      return new Promise<T>((resolve, reject) => {
        const fail = (error: Error) => {
          clearTimeout(timer);
          open.delete(id);
          reject(error);
        };
        const timer = setTimeout(
          () => fail(new CallUnanswered(`${name}: no answer within ${limitMs} ms`)),
          limitMs,
        );
        open.set(id, {
          resolve(value) {
            clearTimeout(timer);
            open.delete(id);
            resolve(value as T);
          },
          reject: fail,
        });
        try {
          send({ type: 'call', id, name, argument });
        } catch (error) {
          fail(error as Error);
        }
      });
    },
    receive(message) {
      if (message.type === 'call') {
        // A call of a process that is gone needs no answer.
        answer(message).catch(() => {});
        return true;
      }
      if (message.type !== 'answer') return false;
      const call = open.get(Number(message.id));
      if (message.fault === undefined) call?.resolve(message.value);
      else call?.reject(new Error(String(message.fault)));
      return true;
    },
    end() {
      for (const call of [...open.values()]) call.reject(new Error('the other process is gone'));
    },
  };
}

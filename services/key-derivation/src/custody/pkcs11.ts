import { Worker } from 'node:worker_threads';
import type { CustodianSettings } from '@latchkey/shared/config';
import { CustodianFault, type Provider } from './key-custodian.ts';
import type { ThreadAnswer, ThreadCall } from './pkcs11-messages.ts';

type Pkcs11Settings = Extract<CustodianSettings, { provider: 'pkcs11' }>;

/** Custodians on PKCS#11 tokens. A library may be initialized once in a process, so custodians of one library share its thread. */
export function openPkcs11(): Provider<Pkcs11Settings> {
  const threads = new Map<string, TokenThread>();

  function threadOf(modulePath: string): TokenThread {
    const known = threads.get(modulePath);
    if (known) return known;
    const thread = createTokenThread(modulePath);
    threads.set(modulePath, thread);
    return thread;
  }

  return {
    open(settings) {
      const [thread, place] = [threadOf(settings.modulePath), placeOf(settings)];
      return {
        async mac(message, signal) {
          signal.throwIfAborted();
          return Buffer.from(await thread.call({ ...place, work: 'mac', message }));
        },
        // Its thread ends with the process, or with `close` of all.
        close: async () => {},
      };
    },
    async importKey(settings, extractedKey) {
      await threadOf(settings.modulePath).call({
        ...placeOf(settings),
        work: 'import',
        message: extractedKey,
      });
    },
    async close() {
      await Promise.all([...threads.values()].map((thread) => thread.close()));
      threads.clear();
    },
  };
}

const placeOf = ({ tokenLabel, keyLabel, pin }: Pkcs11Settings) => ({
  tokenLabel,
  keyLabel,
  pin: pin.reveal(),
});

interface TokenThread {
  call(call: Omit<ThreadCall, 'id'>): Promise<Uint8Array>;
  close(): Promise<void>;
}

interface Waiting {
  resolve(answer: Uint8Array): void;
  reject(fault: CustodianFault): void;
}

/**
 * Calls of a PKCS#11 library block: some for as long as a connection takes to fail. On a thread of their own they never hold up a request
 * whose key is kept. They take turns there.
 */
function createTokenThread(modulePath: string): TokenThread {
  const waiting = new Map<number, Waiting>();
  let thread: Worker | null = null;
  let lastId = 0;

  function start(): Worker {
    const started = new Worker(new URL('./pkcs11-thread.ts', import.meta.url), {
      workerData: { modulePath },
      execArgv: [],
    });
    const end = (reason: string) => {
      if (thread === started) thread = null;
      for (const { reject } of waiting.values())
        reject(new CustodianFault('away', `the thread of ${modulePath} ended: ${reason}`));
      waiting.clear();
    };
    started.on('message', (answer: ThreadAnswer) => {
      const { resolve, reject } = waiting.get(answer.id) ?? {};
      waiting.delete(answer.id);
      // A thread that waits for the next call must not keep the process alive.
      if (waiting.size === 0) started.unref();
      if ('result' in answer) resolve?.(answer.result);
      else reject?.(new CustodianFault(answer.fault.kind, answer.fault.message));
    });
    started.once('error', (error) => end(String(error)));
    started.once('exit', (code) => end(`exit ${code}`));
    return started;
  }

  return {
    call(given) {
      thread ??= start();
      thread.ref();
      const id = ++lastId;
      const answer = new Promise<Uint8Array>((resolve, reject) => waiting.set(id, { resolve, reject }));
      thread.postMessage({ ...given, id } satisfies ThreadCall);
      return answer;
    },
    async close() {
      await thread?.terminate();
    },
  };
}

import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadAnswer, ThreadCall } from './pkcs11-messages.ts';
import { createTokens, TokenFault } from './pkcs11-tokens.ts';

// A thread of `openPkcs11`.
const { modulePath } = workerData as { modulePath: string };
const tokens = createTokens(modulePath);

parentPort?.on('message', (call: ThreadCall) => parentPort?.postMessage(answer(call)));

function answer({ id, work, message, ...place }: ThreadCall): ThreadAnswer {
  try {
    if (work === 'mac') return { id, result: tokens.mac(place, message) };
    tokens.importKey(place, message);
    return { id, result: new Uint8Array() };
  } catch (error) {
    const kind = error instanceof TokenFault ? error.kind : 'away';
    return { id, fault: { kind, message: error instanceof Error ? error.message : String(error) } };
  }
}

import { ApiKeyAnswerSchema, type ApiKeyVerifier, createStrictReader } from '../contracts/index.ts';
import type { NeighbourClient } from './neighbour-client.ts';

/** Uses of keys are gathered for so long before they are told: `docs/contract.md#api-keys` allows a minute. */
export const reportUsesEveryMs = 5_000;
/** Told at a time: at some 55 bytes each, half of the 64 KiB that a body may have. */
const usesAtATime = 500;

const readAnswer = createStrictReader(ApiKeyAnswerSchema, 'the state of an API key');

/** The auth service over the wire. Whoever runs it calls `flush` every `reportUsesEveryMs` and at its end. */
export interface RemoteApiKeyVerifier extends ApiKeyVerifier {
  /** Tells the uses that were noted. What could not be told is kept for the next time. */
  flush(): Promise<void>;
}

export function createApiKeyClient(auth: NeighbourClient): RemoteApiKeyVerifier {
  let uses = new Map<string, number>();
  return {
    findApiKey: (keyHash, wellFormed) =>
      auth.get(`/internal/api-keys/${keyHash}?wellFormed=${wellFormed}`, (body) => readAnswer(body).apiKey),
    noteUse(id, usedAt) {
      uses.set(id, Math.max(usedAt, uses.get(id) ?? 0));
    },
    async flush() {
      if (uses.size === 0) return;
      const told = [...uses];
      uses = new Map();
      for (let from = 0; from < told.length; from += usesAtATime) {
        const part = Object.fromEntries(told.slice(from, from + usesAtATime));
        try {
          await auth.post('/internal/api-keys/uses', { uses: part }, () => undefined);
        } catch {
          // The client has reported it. A later use wins over one that is told again.
          for (const [id, usedAt] of told.slice(from)) uses.set(id, Math.max(usedAt, uses.get(id) ?? 0));
          return;
        }
      }
    },
  };
}

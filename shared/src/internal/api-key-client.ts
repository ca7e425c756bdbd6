import { ApiKeyAnswerSchema, type ApiKeyVerifier, createStrictReader } from '../contracts/index.ts';
import type { NeighbourClient } from './neighbour-client.ts';

/** How long uses of keys are gathered before they are reported: `docs/contract.md#api-keys` allows a minute. */
export const reportUsesEveryMs = 5_000;
/** Maximum uses in one report: at some 55 bytes each, half of the 64 KiB that a body may have. */
const usesAtATime = 500;

const readAnswer = createStrictReader(ApiKeyAnswerSchema, 'the state of an API key');

/** The auth service over HTTP. Its user calls `flush` every `reportUsesEveryMs` and at its end. */
export interface RemoteApiKeyVerifier extends ApiKeyVerifier {
  /** Reports the uses that were noted. Uses that could not be reported are kept for the next time. */
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
          // The client has already reported the failure. A later use takes precedence over one that is reported again.
          for (const [id, usedAt] of told.slice(from)) uses.set(id, Math.max(usedAt, uses.get(id) ?? 0));
          return;
        }
      }
    },
  };
}

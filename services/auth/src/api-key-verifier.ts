import { timingSafeEqual } from 'node:crypto';
import { hashCredential } from '@latchkey/shared/auth';
import type { ApiKeyBatchReader, ApiKeyState, ApiKeyVerifier } from '@latchkey/shared/contracts';
import { throwDatabaseFault } from '@latchkey/shared/db';
import { toApiKeyState } from './api-key.ts';
import { findApiKeyByHash, findApiKeysByHash } from './api-key-store.ts';
import { createUseLog, type UseLogOptions } from './use-log.ts';

interface ApiKeyVerifierOptions extends UseLogOptions {
  /** `ADMIN_API_KEY` and the keys that are accepted in addition to it, in any form. */
  bootstrapKeys: readonly string[];
}

/** The verifier in the process that owns the keys. That process calls `flush` every `usesFlushMs` and at its end. */
export interface OwnedApiKeyVerifier extends ApiKeyVerifier, ApiKeyBatchReader {
  /** Writes the uses that were noted. Never rejects. */
  flush(): Promise<void>;
}

/** The bootstrap key as a state (`docs/reference/contract.md#words`): never stored, never ends. */
const bootstrapState: ApiKeyState = {
  id: null,
  name: 'bootstrap',
  scope: 'admin',
  expiresAt: null,
  revokedAt: null,
};

/** Makes the verifier with which every service checks API keys. */
export function createApiKeyVerifier(options: ApiKeyVerifierOptions): OwnedApiKeyVerifier {
  const { db, bootstrapKeys } = options;
  const bootstrapHashes = bootstrapKeys.map(hashCredential);
  const uses = createUseLog(options);
  const isBootstrap = (keyHash: string) => isAmongHashes(keyHash, bootstrapHashes);
  return {
    async findApiKey(keyHash, wellFormed) {
      // First, because the bootstrap key may have any form.
      if (isBootstrap(keyHash)) return bootstrapState;
      if (!wellFormed) return null;
      const row = await findApiKeyByHash(db, keyHash).catch(throwDatabaseFault);
      return row ? toApiKeyState(row) : null;
    },
    async findApiKeys(asked) {
      const stored = asked.filter(({ keyHash, wellFormed }) => wellFormed && !isBootstrap(keyHash));
      const hashes = stored.map(({ keyHash }) => keyHash);
      const rows = await findApiKeysByHash(db, hashes).catch(throwDatabaseFault);
      const found = new Map(rows.map((row) => [row.key_hash, toApiKeyState(row)]));
      return asked.map(({ keyHash, wellFormed }) => {
        if (isBootstrap(keyHash)) return bootstrapState;
        return wellFormed ? (found.get(keyHash) ?? null) : null;
      });
    },
    noteUse: uses.note,
    flush: uses.flush,
  };
}

/**
 * Compares SHA-256 hashes (64 hex digits each) in constant time, and with each of those expected, so that the time of an answer tells
 * nothing about a configured credential.
 */
export function isAmongHashes(presented: string, expected: readonly string[]): boolean {
  const left = Buffer.from(presented, 'hex');
  let isKnown = false;
  for (const each of expected) {
    const right = Buffer.from(each, 'hex');
    isKnown = (left.length === right.length && timingSafeEqual(left, right)) || isKnown;
  }
  return isKnown;
}

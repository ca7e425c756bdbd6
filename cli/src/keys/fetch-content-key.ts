import { contentKeyBytes } from '@latchkey/shared/derivation';
import { AppError } from '@latchkey/shared/errors';
import { type ContentKeySource, keyPath } from '../encrypt/content-key-source.ts';
import { failure } from '../refusal.ts';
import { adviceToRegister, advise, askServer, type ServerAccess, staleForSeconds } from './ask-server.ts';
import type { ContentRegistrar } from './register-content.ts';

export interface ServerKeyOptions extends ServerAccess {
  /** Registers content that the server does not know; absent: nothing is registered. */
  readonly registrar?: ContentRegistrar | undefined;
}

/** Content keys from a key server: `GET /keys/:contentId[/:epoch]` with an API key. */
export function createServerKeySource(options: ServerKeyOptions): ContentKeySource {
  /** Another replica may still have the key periods from before the registrar changed them. */
  async function ask(path: string, signal: AbortSignal | undefined): Promise<Response> {
    for (let waited = 0; ; waited++) {
      try {
        return await askServer(options, { method: 'GET', path, signal });
      } catch (error) {
        const mayBeStale = error instanceof AppError && error.code === 'EPOCH_NOT_FOUND';
        if (!options.registrar || !mayBeStale || waited === staleForSeconds) throw error;
        await options.wait(1, signal);
      }
    }
  }

  return {
    async prepare(content, signal) {
      await options.registrar?.register(content, signal);
    },
    async get(name, signal) {
      const path = keyPath(name);
      const answer = await ask(path, signal).catch(advise(options.registrar ? {} : adviceToRegister));
      const key = new Uint8Array(await answer.arrayBuffer());
      if (key.length === contentKeyBytes) return key;
      // A fault of the server or of a proxy.
      throw failure(
        `GET ${options.server}${path} answered ${key.length} bytes; a content key has exactly 16`,
      );
    },
  };
}

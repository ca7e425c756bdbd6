import { AppError } from '@latchkey/shared/errors';
import { type ContentKeySource, keyPath } from '../encrypt/content-key-source.ts';
import { askServer, type ServerAccess } from './ask-server.ts';
import { registerContent } from './register-content.ts';

/** AES-128 (RFC 8216 section 4.3.2.4): anything else than 16 bytes is a mistake of the server or of a proxy. */
const contentKeyOctets = 16;

export interface ServerKeyOptions extends ServerAccess {
  /** Register content that the server does not know. */
  readonly register: boolean;
  /** Name of content that is registered; absent: its id. */
  readonly contentName?: string | undefined;
}

/** Content keys from a key server: `GET /keys/:contentId[/:epoch]` with an API key. */
export function createServerKeySource(options: ServerKeyOptions): ContentKeySource {
  return {
    async prepare(contentId, signal) {
      if (options.register)
        await registerContent(options, contentId, options.contentName ?? contentId, signal);
    },
    async get(name, signal) {
      const path = keyPath(name);
      const answer = await askServer(options, { method: 'GET', path, signal }).catch((error: unknown) => {
        throw options.register ? error : withAdvice(error);
      });
      const key = new Uint8Array(await answer.arrayBuffer());
      if (key.length === contentKeyOctets) return key;
      const detail = `GET ${options.server}${path} answered ${key.length} bytes; a content key has exactly 16`;
      throw new AppError('INTERNAL', { detail });
    },
  };
}

function withAdvice(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'CONTENT_NOT_FOUND') return error;
  const detail = `${error.detail} Register the content first, or give --register.`;
  return new AppError(error.code, { detail, cause: error });
}

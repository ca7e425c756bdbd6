import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createMasterKey, deriveContentKey } from '@latchkey/shared/derivation';
import { createManualClock } from '@latchkey/shared/testing';
import type { EncryptOptions, Summary } from '../encrypt/encrypt-options.ts';
import { encryptPresentation } from '../encrypt/encrypt-presentation.ts';
import { createMasterKeySource } from '../encrypt/index.ts';
import { temporaryFolder, writeFiles } from './temporary-folder.ts';

const masterKey = createMasterKey(1, Buffer.alloc(32, 1), Buffer.alloc(32, 2));
/** The same for a command. */
export const masterKeyEnv = { MASTER_KEY_HEX: '01'.repeat(32), SALT_HEX: '02'.repeat(32) };

/** Base of the key URLs in tests. */
export const keyUrlBase = 'https://keys.example.com';

/** The content key that the server would answer at a key URL. */
export function keyOfUrl(url: string): Buffer {
  const [, contentId = '', epoch] = /^https?:\/\/[^/]+\/keys\/([A-Za-z0-9_-]+)(?:\/(\d+))?$/.exec(url) ?? [];
  return deriveContentKey(masterKey, contentId, epoch === undefined ? undefined : Number(epoch));
}

/** Options for most tests: content `film`, derived keys, names that a test can foresee. */
export function encryptOptions(folder: string, playlist: string): EncryptOptions {
  return {
    playlist: join(folder, playlist),
    contentId: 'film',
    outFolder: join(folder, 'out'),
    keys: createMasterKeySource(masterKey),
    keyUrlBase,
    plainNames: true,
    randomBytes,
    clock: createManualClock(),
  };
}

/** Writes files into a new folder, and encrypts one of their playlists into `out` in that folder. */
export async function encryptFiles(
  files: Readonly<Record<string, string | Uint8Array>>,
  playlist: string,
  { folder = temporaryFolder(), ...more }: Partial<EncryptOptions> & { folder?: string } = {},
): Promise<Summary & { folder: string }> {
  writeFiles(folder, files);
  return { ...(await encryptPresentation({ ...encryptOptions(folder, playlist), ...more })), folder };
}

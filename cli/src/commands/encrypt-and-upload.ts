import { resolve } from 'node:path';
import type { CommandContext } from '../command-context.ts';
import type { EncryptOptions } from '../encrypt/encrypt-options.ts';
import { fingerprintWork } from '../encrypt/fingerprint-work.ts';
import { rootPlaylistName } from '../encrypt/target-names.ts';
import { askServer } from '../keys/ask-server.ts';
import { prepareUpload } from '../upload/prepare-upload.ts';
import { uploadPresentation } from '../upload/upload-presentation.ts';
import { isEncryptedFrom, startRecord } from '../upload/upload-record.ts';
import { describeUpload } from './describe-encryption.ts';
import type { EncryptCommandOptions } from './encrypt.ts';
import { readServerAccess } from './read-server-access.ts';
import { showProgress } from './show-progress.ts';

/** An encryption that is ready to go. */
export interface ReadyEncryption {
  readonly work: EncryptOptions;
  readonly encrypt: (more: Partial<EncryptOptions>) => Promise<unknown>;
  readonly say: (text: string) => void;
  readonly keySource: string;
}

/**
 * `latchkey encrypt --upload`: from a clear playlist to an encrypted one in the bucket. Where `--out` holds what an
 * earlier run with the same options and the same source has encrypted, that is uploaded, as far as it is not there yet:
 * encrypted again, every file would be another one.
 *
 * @throws AppError
 */
export async function encryptAndUpload(
  { work, encrypt, say, keySource }: ReadyEncryption,
  options: EncryptCommandOptions,
  context: CommandContext,
): Promise<void> {
  const { contentId, outFolder } = work;
  const { signal } = context;
  const access = readServerAccess(options, context, '--upload');
  const fingerprint = await fingerprintWork(work, keySource);
  const registerAs = options.register ? (options.name ?? contentId) : undefined;
  await prepareUpload(access, { contentId, playlist: work.playlist, registerAs }, signal);

  if (!options.force && (await isEncryptedFrom(outFolder, fingerprint))) {
    say(`Encrypted before, in ${resolve(outFolder)}: this is uploaded.\n`);
  } else {
    await encrypt({ stamp: startRecord(fingerprint) });
  }

  const display = showProgress(context, options.quiet ?? false, 'Uploading');
  try {
    const result = await uploadPresentation(access, outFolder, contentId, display, signal);
    display.stop();
    const manifestKey = `content/${contentId}/${rootPlaylistName(work.playlist)}`;
    if (options.register) {
      const body = { manifestKey, sizeBytes: result.totalBytes };
      await askServer(access, { method: 'PATCH', path: `/api/v1/content/${contentId}`, body, signal });
    }
    say(describeUpload(result, manifestKey));
  } finally {
    display.stop();
  }
}

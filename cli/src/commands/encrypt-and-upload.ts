import { resolve } from 'node:path';
import type { AppError } from '@latchkey/shared/errors';
import { type CommandContext, createWarn } from '../command-context.ts';
import { askOnce } from '../encrypt/content-key-source.ts';
import type { EncryptOptions } from '../encrypt/encrypt-options.ts';
import { rootPlaylistName } from '../encrypt/target-names.ts';
import { changeContent } from '../keys/content-api.ts';
import type { ContentRegistrar } from '../keys/register-content.ts';
import { refusal } from '../refusal.ts';
import { chooseCacheControl, prepareUpload, uploadPresentation } from '../upload/upload-presentation.ts';
import { compareOrigin, describeWork, fingerprintKeys, startRecord } from '../upload/upload-record.ts';
import { describeUpload } from './describe-encryption.ts';
import type { EncryptCommandOptions } from './encrypt-command-options.ts';
import { readServerAccess } from './server-options.ts';
import { showProgress } from './show-progress.ts';

/** An encryption that is ready to run. */
interface ReadyEncryption {
  readonly work: EncryptOptions;
  readonly encrypt: (more: Partial<EncryptOptions>) => Promise<unknown>;
  readonly say: (text: string) => void;
  /** With `--register`. */
  readonly registrar: ContentRegistrar | undefined;
  readonly keySource: string;
}

/**
 * `latchkey encrypt --upload`: from a clear playlist to an encrypted one in the bucket. If `--out` has the output of an
 * earlier run with the same options, source and keys, the rest of it is uploaded. A new encryption would change every file.
 *
 * @throws AppError
 */
export async function encryptAndUpload(
  { work, encrypt, say, registrar, keySource }: ReadyEncryption,
  options: EncryptCommandOptions,
  context: CommandContext,
): Promise<void> {
  const { contentId, outFolder } = work;
  const { signal } = context;
  const cacheControl = chooseCacheControl(options, false, createWarn(context));
  const access = readServerAccess(options, context, '--upload');
  const { fingerprint, contents } = await describeWork(work, keySource);
  // With an id for each rendition, the content of the files has no keys.
  const keyed = contents.find((content) => content.contentId === contentId);
  await (keyed ? registrar?.register(keyed, signal) : registrar?.registerKeyless(contentId, signal));
  await prepareUpload(access, { contentId, playlist: work.playlist, cacheControl }, signal);

  // The keys are compared too: a server of the same address may have another master key.
  const keys = askOnce(work.keys);
  const origin = { encryptedFrom: fingerprint, withKeys: await fingerprintKeys(contents, keys, signal) };
  const before = options.force ? 'other' : await compareOrigin(outFolder, origin);
  if (before === 'other keys') throw otherKeys(resolve(outFolder), keySource);
  if (before === 'same') say(`Encrypted before, in ${resolve(outFolder)}: this is uploaded.\n`);
  else await encrypt({ keys, stamp: startRecord(origin) });

  const display = showProgress(context, options.quiet, 'Uploading');
  const what = { folder: outFolder, contentId, cacheControl };
  const result = await uploadPresentation(access, what, display, signal).finally(display.stop);
  const manifestKey = `content/${contentId}/${rootPlaylistName(work.playlist)}`;
  await registrar?.settle(signal);
  if (registrar)
    await changeContent(access, contentId, { manifestKey, sizeBytes: result.totalBytes }, signal);
  say(describeUpload(result, manifestKey, contents, contentId));
}

function otherKeys(folder: string, keySource: string): AppError {
  const detail =
    `--out ${folder} was encrypted with other content keys than ${keySource} gives now: nobody could ` +
    'play it. Give a new folder, or --force to encrypt and upload it again';
  return refusal(detail);
}

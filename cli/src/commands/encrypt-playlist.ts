import { resolve } from 'node:path';
import type { AppError } from '@latchkey/shared/errors';
import { type CommandContext, createWarn } from '../command-context.ts';
import { askOnce } from '../encrypt/content-key-source.ts';
import type { EncryptOptions, Summary } from '../encrypt/encrypt-options.ts';
import { encryptPresentation } from '../encrypt/encrypt-presentation.ts';
import { rootPlaylistName } from '../encrypt/target-names.ts';
import { explainError } from '../explain-error.ts';
import { changeContent } from '../keys/content-api.ts';
import { refusal, unavailable } from '../refusal.ts';
import { showUrl } from '../show-url.ts';
import { chooseCacheControl, prepareUpload, uploadPresentation } from '../upload/upload-presentation.ts';
import { compareOrigin, describeWork, fingerprintKeys, startRecord } from '../upload/upload-record.ts';
import type { ChosenKeySource } from './choose-key-source.ts';
import {
  describeEncryption,
  describeNextSteps,
  describePeriods,
  describeUpload,
} from './describe-encryption.ts';
import type { EncryptCommandOptions } from './encrypt-command-options.ts';
import { readServerAccess } from './server-options.ts';
import { reportEncryption, showProgress } from './show-progress.ts';

/**
 * `latchkey encrypt` of a playlist on disk, and the upload of its output with `--upload`.
 *
 * @param playlist a path
 * @param keyUrlBase where players fetch keys
 */
export async function encryptPlaylist(
  playlist: string,
  keyUrlBase: string,
  { source, registrar, description }: ChosenKeySource,
  options: EncryptCommandOptions,
  context: CommandContext,
): Promise<void> {
  const { contentId, sourceRoot, rotateEvery: rotateEverySegments } = options;
  const { randomBytes, clock, signal } = context;
  const work: EncryptOptions = {
    ...{ playlist, contentId, sourceRoot, rotateEverySegments, keyUrlBase, randomBytes, clock, signal },
    outFolder: options.out,
    keys: source,
    force: options.force ?? false,
    perRenditionIds: options.perRenditionIds ?? false,
    plainNames: options.plainNames ?? false,
  };
  const say = (text: string) => void (options.quiet || context.stdout.write(text));
  const encrypt = async (more: Partial<EncryptOptions> = {}) => {
    const display = showProgress(context, options.quiet, 'Encrypting');
    const report = reportEncryption(display, context);
    const summary = await encryptPresentation({ ...work, ...more, report }).finally(display.stop);
    say(describeEncryption(summary, description));
    return summary;
  };
  if (options.upload)
    return encryptAndUpload({ work, encrypt, say, registrar, keySource: description }, options, context);
  const summary = await encrypt();
  await registrar?.settle(signal).catch((error: unknown) => {
    throw notStated(summary, options, error);
  });
  say(describeNextSteps(summary, registrar !== undefined, contentId));
}

/** An encryption that is ready to run. */
interface ReadyEncryption {
  readonly work: EncryptOptions;
  readonly encrypt: (more: Partial<EncryptOptions>) => Promise<unknown>;
  readonly say: (text: string) => void;
  /** With `--register`. */
  readonly registrar: ChosenKeySource['registrar'];
  readonly keySource: string;
}

/**
 * `latchkey encrypt --upload`: from a clear playlist to an encrypted one in the bucket. If `--out` has the output of an
 * earlier run with the same options, source and keys, the rest of it is uploaded. A new encryption would change every file.
 *
 * @throws AppError
 */
async function encryptAndUpload(
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

/** The presentation is complete, so the same command would need --force. */
function notStated(
  { outFolder, contents }: Summary,
  { contentId, playlistUrl }: EncryptCommandOptions,
  cause: unknown,
): AppError {
  const playlist = playlistUrl
    ? `  - State the playlist of ${contentId}: ${JSON.stringify({ playlistUrl: showUrl(playlistUrl) })}\n`
    : '';
  const detail =
    `${outFolder} is complete, but the server has not got what --register states: ${explainError(cause)}\n` +
    `Then state it, with the API or in the dashboard:\n${describePeriods(contents)}${playlist}`;
  return unavailable(detail.trimEnd(), cause);
}

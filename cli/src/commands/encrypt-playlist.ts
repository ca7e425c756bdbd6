import { resolve } from 'node:path';
import type { AppError } from '@latchkey/shared/errors';
import type { UploadResult } from '@latchkey/uploader/node';
import type { CommandContext } from '../command-context.ts';
import { askOnce, type WrittenContent } from '../encrypt/content-key-source.ts';
import type { EncryptOptions, Summary } from '../encrypt/encrypt-options.ts';
import { encryptPresentation } from '../encrypt/encrypt-presentation.ts';
import { explainError } from '../explain-error.ts';
import { changeContent } from '../keys/content-api.ts';
import { toSequence } from '../keys/register-content.ts';
import { refusal, unavailable } from '../refusal.ts';
import { showUrl } from '../show-url.ts';
import { prepareUpload, uploadPresentation } from '../upload/upload-presentation.ts';
import { compareOrigin, describeWork, fingerprintKeys, startRecord } from '../upload/upload-record.ts';
import type { ChosenKeySource } from './choose-key-source.ts';
import { chooseCacheControl, type EncryptCommandOptions } from './encrypt-command-options.ts';
import { readServerAccess } from './server-options.ts';
import { showProgress } from './show-progress.ts';

/**
 * `latchkey encrypt` of a playlist on disk. With `--upload` its output goes to the bucket. If `--out` then has the output of an earlier run
 * with the same options, source and keys, the rest of it is uploaded. A new encryption would change every file.
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
  const { contentId, sourceRoot, rotateEvery: rotateEverySegments, out: outFolder } = options;
  const { randomBytes, clock, signal } = context;
  const work: EncryptOptions = {
    ...{ playlist, contentId, sourceRoot, rotateEverySegments, keyUrlBase, randomBytes, clock, signal },
    ...{ outFolder, keys: source },
    force: options.force ?? false,
    perRenditionIds: options.perRenditionIds ?? false,
    plainNames: options.plainNames ?? false,
  };
  const say = (text: string) => void (options.quiet || context.stdout.write(text));
  const encrypt = async (more: Partial<EncryptOptions> = {}) => {
    const display = showProgress(context, options.quiet, 'Encrypting');
    const report = { ...display, warn: context.warn };
    const summary = await encryptPresentation({ ...work, ...more, report }).finally(display.stop);
    say(describeEncryption(summary, description));
    return summary;
  };
  if (!options.upload) {
    const summary = await encrypt();
    await registrar?.settle(signal).catch((error: unknown) => {
      throw notStated(summary, options, error);
    });
    return say(describeNextSteps(summary, registrar !== undefined, contentId));
  }

  const cacheControl = chooseCacheControl(options, context);
  const access = readServerAccess(options, context, '--upload');
  const { fingerprint, contents } = await describeWork(work, description);
  // With an id for each rendition, the content of the files has no keys.
  const keyed = contents.find((content) => content.contentId === contentId);
  await (keyed ? registrar?.register(keyed, signal) : registrar?.registerKeyless(contentId, signal));
  const manifestKey = await prepareUpload(access, { contentId, playlist, cacheControl }, signal);

  // The keys are compared too: a server of the same address may have another master key.
  const keys = askOnce(source);
  const origin = { encryptedFrom: fingerprint, withKeys: await fingerprintKeys(contents, keys, signal) };
  const before = options.force ? 'other' : await compareOrigin(outFolder, origin);
  if (before === 'other keys')
    throw refusal(
      `--out ${resolve(outFolder)} was encrypted with other content keys than ${description} gives now: nobody could ` +
        'play it. Give a new folder, or --force to encrypt and upload it again',
    );
  if (before === 'same') say(`Encrypted before, in ${resolve(outFolder)}: this is uploaded.\n`);
  else await encrypt({ keys, stamp: startRecord(origin) });

  const display = showProgress(context, options.quiet, 'Uploading');
  const what = { contentId, cacheControl };
  const result = await uploadPresentation(access, outFolder, what, display, signal).finally(display.stop);
  await registrar?.settle(signal);
  if (registrar)
    await changeContent(access, contentId, { manifestKey, sizeBytes: result.totalBytes }, signal);
  say(describeUpload(result, manifestKey, contents, contentId));
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

/** Rotation makes long lists of key URLs. They are cut in the middle. */
const keyUrlsShown = 6;

function describeEncryption(summary: Summary, keySource: string): string {
  const { keyUrls } = summary;
  const shown =
    keyUrls.length <= keyUrlsShown
      ? keyUrls
      : [...keyUrls.slice(0, keyUrlsShown - 1), `… ${keyUrls.length - keyUrlsShown} more`, keyUrls.at(-1)];
  const epochs = summary.epochs === 0 ? 'one key throughout' : `${summary.epochs} epochs`;
  const iFrames = summary.iFramePlaylists === 0 ? '' : ` and ${summary.iFramePlaylists} I-frame playlist(s)`;
  return `Encrypted ${summary.segments} segments of ${summary.renditions} rendition(s)${iFrames}, ${summary.bytes} bytes, ${epochs}.
Keys from ${keySource}. Players fetch them from:
${shown.map((url) => `  ${url}`).join('\n')}
`;
}

/** The next steps after an encryption without an upload. @param contentId of `--content-id` */
function describeNextSteps(
  { contents, outFolder, playlist }: Summary,
  registered: boolean,
  contentId: string,
): string {
  const register = registered
    ? ''
    : `  - Register the content on the key server, if it is not yet: ${namesOf(contents)}\n${describePeriods(contents)}`;
  return `Next:
${register}  - Put the folder ${outFolder} where players fetch video from; the clear files stay private.
  - Play ${playlist} with a viewer's token on the key requests.
${describeLeases(contents, contentId)}`;
}

/** Without key periods on the server, a viewer can fetch the key of every epoch at once. */
function describePeriods(contents: readonly WrittenContent[]): string {
  let text = '';
  for (const { contentId, epochs } of contents) {
    if (!epochs) continue;
    const keyPeriods = toSequence(epochs);
    text += `  - State the key periods of ${contentId}: ${JSON.stringify({ keyPeriods })}\n`;
  }
  return text;
}

/**
 * @param manifestKey key of the playlist for players
 * @param contents of the keys
 * @param contentId of `--content-id`
 */
function describeUpload(
  { files, uploadedBytes }: UploadResult,
  manifestKey: string,
  contents: readonly WrittenContent[],
  contentId: string,
): string {
  const skipped = files.filter(({ status }) => status === 'skipped').length;
  const before = skipped === 0 ? '' : `; ${skipped} were there already`;
  return `Uploaded ${files.length - skipped} files, ${uploadedBytes} bytes${before}.
Next:
  - Play ${manifestKey} of the bucket with a viewer's token on the key requests.
${describeLeases(contents, contentId)}`;
}

/** If `--content-id` has no keys itself, tokens and leases must name the ids that have. */
function describeLeases(contents: readonly WrittenContent[], contentId: string): string {
  if (contents.some((content) => content.contentId === contentId)) return '';
  return `  - The keys belong to ${namesOf(contents)}: list all of them in a token's content_ids.
    load(url) of the player needs no contentId here. A lease for ${contentId} opens no key.
`;
}

function namesOf(contents: readonly WrittenContent[]): string {
  return contents.map(({ contentId }) => contentId).join(', ');
}

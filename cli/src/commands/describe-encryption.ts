import type { UploadResult } from '@latchkey/uploader/node';
import type { WrittenContent } from '../encrypt/content-key-source.ts';
import type { Summary } from '../encrypt/encrypt-options.ts';
import { toSequence } from '../keys/register-content.ts';

/** Rotation makes long lists of key URLs. They are cut in the middle. */
const keyUrlsShown = 6;

export function describeEncryption(summary: Summary, keySource: string): string {
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

/**
 * The next steps after an encryption without an upload.
 *
 * @param contentId of `--content-id`
 */
export function describeNextSteps(
  { contents, outFolder, playlist }: Pick<Summary, 'contents' | 'outFolder' | 'playlist'>,
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
export function describePeriods(contents: readonly WrittenContent[]): string {
  return contents
    .flatMap(({ contentId, epochs }) => (epochs ? [{ contentId, periods: toSequence(epochs) }] : []))
    .map(
      ({ contentId, periods }) =>
        `  - State the key periods of ${contentId}: ${JSON.stringify({ keyPeriods: periods })}\n`,
    )
    .join('');
}

/**
 * @param manifestKey key of the playlist for players
 * @param contents of the keys
 * @param contentId of `--content-id`
 */
export function describeUpload(
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

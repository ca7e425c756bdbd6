import type { UploadResult } from '@latchkey/uploader/node';
import type { Summary } from '../encrypt/encrypt-options.ts';

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
  { contentIds, outFolder, playlist }: Pick<Summary, 'contentIds' | 'outFolder' | 'playlist'>,
  registered: boolean,
  contentId: string,
): string {
  const register = registered
    ? ''
    : `  - Register the content on the key server, if it is not yet: ${contentIds.join(', ')}\n`;
  return `Next:
${register}  - Put the folder ${outFolder} where players fetch video from; the clear files stay private.
  - Play ${playlist} with a viewer's token on the key requests.
${describeLeases(contentIds, contentId)}`;
}

/**
 * @param manifestKey key of the playlist for players
 * @param contentIds of the keys
 * @param contentId of `--content-id`
 */
export function describeUpload(
  { files, uploadedBytes }: UploadResult,
  manifestKey: string,
  contentIds: readonly string[],
  contentId: string,
): string {
  const skipped = files.filter(({ status }) => status === 'skipped').length;
  const before = skipped === 0 ? '' : `; ${skipped} were there already`;
  return `Uploaded ${files.length - skipped} files, ${uploadedBytes} bytes${before}.
Next:
  - Play ${manifestKey} of the bucket with a viewer's token on the key requests.
${describeLeases(contentIds, contentId)}`;
}

/** If `--content-id` has no keys itself, tokens and leases must name the ids that have. */
function describeLeases(contentIds: readonly string[], contentId: string): string {
  if (contentIds.includes(contentId)) return '';
  return `  - The keys are those of ${contentIds.join(', ')}: list all of them in a token's content_ids.
    load(url) of the player needs no contentId here. A lease for ${contentId} opens no key.
`;
}

import { resolve } from 'node:path';
import { checkContentId } from '../check-options.ts';
import type { CommandContext } from '../command-context.ts';
import { checkOutputFolder, withDownloadFolder } from '../encrypt/output-folder.ts';
import { refusal } from '../refusal.ts';
import { showUrl } from '../show-url.ts';
import { downloadPresentation } from '../source/download-presentation.ts';
import { createSourceRequests, isUrl } from '../source/request-source.ts';
import { readSourceHeaders } from '../source/source-headers.ts';
import type { EncryptCommandOptions } from './encrypt-command-options.ts';
import { countDone, silentBelow } from './show-progress.ts';

/** A film of three hours in UHD has some 100 GB with all of its renditions. */
const mostBytes = 200_000_000_000;
/** These bytes at 100 Mbit/s take 4.5 hours. A connection without bytes ends after five minutes (undici). */
const mostMs = 6 * 3_600_000;

/**
 * Works on a presentation on disk. One at a URL is downloaded first, and its files are removed after the work.
 *
 * @param playlist a path or URL
 * @param work gets the path of the playlist
 * @throws AppError `VALIDATION_FAILED` for options or a source that cannot be used, and what `work` throws
 */
export async function withPresentation<T>(
  playlist: string,
  options: EncryptCommandOptions,
  context: CommandContext,
  work: (path: string) => Promise<T>,
): Promise<T> {
  if (!isUrl(playlist)) {
    if (options.sourceHeader) throw refusal('--source-header is for a source at a URL');
    return work(playlist);
  }
  if (options.sourceRoot !== undefined) throw refusal('--source-root is for a playlist on disk');
  if (!URL.canParse(playlist))
    throw refusal(`"${showUrl(playlist)}" is malformed; accepted: a path, or an http or https URL`);
  checkContentId(options.contentId);
  // An upload may go on with a folder that is complete.
  if (!options.upload) await checkOutputFolder(resolve(options.out), options.force ?? false);
  return withDownloadFolder(async (folder) => work(await download(playlist, folder, options, context)));
}

async function download(
  url: string,
  folder: string,
  { sourceHeader = [], quiet }: EncryptCommandOptions,
  context: CommandContext,
): Promise<string> {
  const { env, wait, stderr } = context;
  const tooLate = AbortSignal.timeout(mostMs);
  const signal = AbortSignal.any([context.signal, tooLate]);
  const headers = readSourceHeaders(sourceHeader, env);
  const request = createSourceRequests({ address: url, headers, timeoutMs: mostMs, signal });
  const say = (text: string) => void (quiet || stderr.write(`${text}\n`));
  let isFew = false;
  let bytes = 0;
  try {
    return await downloadPresentation(url, folder, {
      ...{ request, wait, signal, mostBytes },
      showProgress(files, work) {
        say(`Downloading ${files} file(s) of ${showUrl(url)}`);
        isFew = files < silentBelow;
        return countDone(context, quiet, 'Downloading', files, work);
      },
      count(more) {
        const shownGb = Math.floor(bytes / 1e9);
        bytes += more;
        if (bytes > mostBytes) throw refusal(`${showUrl(url)} has more than ${mostBytes} bytes`);
        // The number of bytes is not known beforehand. A few large files would show no progress, so each gigabyte is shown, too.
        const gb = Math.floor(bytes / 1e9);
        if (isFew && gb > shownGb) say(`Downloading: ${gb} GB`);
      },
    });
  } catch (error) {
    if (tooLate.aborted)
      throw refusal(`${showUrl(url)} was not downloaded within ${mostMs / 3_600_000} hours`);
    throw error;
  }
}

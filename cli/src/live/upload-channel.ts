import { join } from 'node:path';
import { openFile, type UploadCacheControl, upload } from '@latchkey/uploader/node';
import type { ServerAccess } from '../keys/ask-server.ts';

interface ChannelUpload extends ServerAccess {
  readonly contentId: string;
  readonly cacheControl: UploadCacheControl;
  readonly outFolder: string;
  readonly warn: (text: string) => void;
  readonly signal: AbortSignal;
}

interface WaitingPlaylist {
  readonly text: string;
  readonly files: readonly string[];
}

/** Between two attempts, in addition to the retries of each file. */
const retrySeconds = 1;
/** Between two looks whether the renditions of a multivariant playlist are there, which takes a moment at the start. */
const lookSeconds = 0.2;
/** A few: a newer playlist may name other files by the time the store is back. */
const attempts = 3;

/**
 * Uploads the output of a live encryption while it grows. For each rendition the newest playlist counts: first the files that it names and that the bucket does not have, then the
 * playlist. So players never read the name of a file that is not there. A new process sends the window once more.
 */
export function uploadChannel(options: ChannelUpload) {
  const waiting = new Map<string, WaitingPlaylist>();
  const running = new Map<string, Promise<void>>();
  const inBucket = new Map<string, Set<string>>();
  const run = async (path: string) => {
    for (let next = waiting.get(path); next && !options.signal.aborted; next = waiting.get(path)) {
      if (next.files.some((file) => isPlaylist(file) && !inBucket.has(file))) {
        await options.wait(lookSeconds, options.signal).catch(() => {});
        continue;
      }
      const fault = await sendPlaylist(path, next, inBucket.get(path) ?? new Set(), options);
      if (fault === undefined) {
        inBucket.set(path, new Set(next.files));
        if (waiting.get(path) === next) waiting.delete(path);
      } else if (waiting.get(path) === next && !options.signal.aborted) {
        options.warn(`${path} is not uploaded: ${fault}; it is tried again`);
        await options.wait(retrySeconds, options.signal).catch(() => {});
      }
    }
  };
  return {
    /** A playlist was written. @param files paths that it names, relative to the output folder, as `path` is */
    published(path: string, text: string, files: readonly string[]) {
      waiting.set(path, { text, files });
      if (running.has(path)) return;
      const work = run(path).finally(() => running.delete(path));
      running.set(path, work);
    },
    /** Resolves once everything that was published is in the bucket, or the signal is aborted. */
    async finish() {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
}

/** @returns what failed, if anything */
async function sendPlaylist(
  path: string,
  { text, files }: WaitingPlaylist,
  inBucket: Set<string>,
  options: ChannelUpload,
): Promise<string | undefined> {
  const { server, apiKey, contentId, cacheControl, outFolder, signal } = options;
  try {
    const missing = files.filter((file) => !isPlaylist(file) && !inBucket.has(file));
    const media = await Promise.all(missing.map((file) => openFile(join(outFolder, file), file)));
    // As it was published: the file on disk may already name later segments. It is sent after the files that it names.
    const playlist = { path, data: new TextEncoder().encode(text) };
    const target = { auth: () => apiKey, contentId, keyServerUrl: server, cacheControl };
    const result = await upload([...media, playlist], { ...target, memory: null, attempts, signal });
    for (const { path: sent, status } of result.files) if (status === 'uploaded') inBucket.add(sent);
    const failed = result.files.find(({ error }) => error);
    return failed && `${failed.path}: ${failed.error?.message}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function isPlaylist(path: string): boolean {
  return path.endsWith('.m3u8');
}

import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { type Place, playlistError } from '../hls/playlist-error.ts';
import { refusal } from '../refusal.ts';
import type { RequestSource } from './request-source.ts';
import { SourceUnavailable } from './source-unavailable.ts';

/** A playlist of a day's segments has some 5 MB. */
const playlistMostBytes = 16 * 1024 * 1024;
/** A server that restarts is back by the last one: they take 1, 2 and 4 seconds after each other. */
const attempts = 4;

export interface DownloadTools {
  readonly request: RequestSource;
  readonly wait: (seconds: number, signal?: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
  /** A larger file is refused. */
  readonly mostBytes: number;
  /** Counts bytes that arrived. @throws AppError `VALIDATION_FAILED` once they are too many */
  readonly count: (bytes: number) => void;
}

/** A playlist, and the URL that answered. @throws AppError `VALIDATION_FAILED` */
export async function downloadText(
  url: string,
  tools: DownloadTools,
  place: Place | undefined,
): Promise<{ bytes: Buffer; url: string }> {
  return repeat(tools, place, async () => {
    const { bytes = Buffer.alloc(0), ...answer } = await tools.request(url, { mostBytes: playlistMostBytes });
    tools.count(bytes.length);
    return { bytes, url: answer.url };
  });
}

/**
 * Writes a file. Its time of change is made of its bytes: the same file has the same time when it is downloaded again, so that an upload goes on
 * (`describeWork`).
 *
 * @throws AppError `VALIDATION_FAILED`, or an error of the file system
 */
export async function downloadFile(
  url: string,
  path: string,
  tools: DownloadTools,
  place: Place,
): Promise<void> {
  await repeat(tools, place, async () => {
    const hash = createHash('sha256');
    const file = await open(path, 'w');
    try {
      const write = async (chunk: Uint8Array) => {
        tools.count(chunk.length);
        hash.update(chunk);
        // Errors of an open file lack its path, which tells an operator whose disk is full.
        await file.writeFile(chunk).catch((error: Error) => {
          throw Object.assign(error, { path });
        });
      };
      await tools.request(url, { mostBytes: tools.mostBytes, write });
      const seconds = hash.digest().readUInt32BE();
      await file.utimes(seconds, seconds);
    } finally {
      await file.close();
    }
  });
}

/** Repeats what a later attempt may cure: no answer, an answer that ended early, 5xx and 429. */
async function repeat<T>(
  { wait, signal }: DownloadTools,
  place: Place | undefined,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SourceUnavailable)) throw error;
      const isFinal = error.status !== undefined && error.status < 500 && error.status !== 429;
      if (isFinal || attempt === attempts)
        throw place ? playlistError(place, error.message, error) : refusal(error.message, error);
      await wait(2 ** (attempt - 1), signal);
    }
  }
}

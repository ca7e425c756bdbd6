import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type MediaFileJob, type WrittenFile, writeMediaFile } from './media-file.ts';
import type { MediaThreadAnswer } from './media-thread.ts';

/** Each takes some 15 MiB. Four encrypt some 4 GB/s, more than most disks write, and keep the command at 160 MiB. */
const mostThreads = 4;
/** In MB. Chunks are outside of this heap. With V8's usual limits it grows to 25 MB before it is collected. */
const heapOfThread = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 16 };
/** Input for each thread: its start takes 50 ms, as long as the encryption of 32 MiB or more. */
const bytesOfThread = 32 * 1024 * 1024;

export interface MediaWriting {
  /** After each file, in the order in which they end. */
  fileDone(bytes: number): void;
  signal: AbortSignal | undefined;
}

/**
 * Writes files with several threads at once, up to one for each core, four at most. When the promise settles, nothing writes any more.
 *
 * @returns the files in the order of the jobs
 * @throws what `writeMediaFile` throws; the reason of the signal once that is aborted
 */
export async function writeMediaFiles(
  jobs: readonly MediaFileJob[],
  writing: MediaWriting,
): Promise<WrittenFile[]> {
  const bytes = jobs.reduce((sum, { source }) => sum + source.length, 0);
  const worthwhile = Math.floor(bytes / bytesOfThread);
  const count = Math.min(jobs.length, worthwhile, mostThreads, availableParallelism());
  const queue = jobs.entries();
  const written: WrittenFile[] = [];
  if (count < 1) {
    await takeAll(queue, written, writing, async (job) => writeMediaFile(job));
    return written;
  }

  const stopped = new AbortController();
  const stop = (reason: unknown) => stopped.abort(reason);
  const threads = Array.from({ length: count }, () => startThread(stop));
  const forward = () => stop(writing.signal?.reason);
  writing.signal?.addEventListener('abort', forward, { once: true });
  try {
    const ends = threads.map((thread) =>
      takeAll(queue, written, { ...writing, signal: stopped.signal }, (job) =>
        askThread(thread, job, stopped.signal),
      ).catch((error: unknown) => {
        // The others end within their file, and the first error is the one that counts.
        stop(error);
        throw stopped.signal.reason;
      }),
    );
    await Promise.all(ends);
    return written;
  } finally {
    writing.signal?.removeEventListener('abort', forward);
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}

async function takeAll(
  queue: Iterable<[number, MediaFileJob]>,
  written: WrittenFile[],
  { fileDone, signal }: MediaWriting,
  write: (job: MediaFileJob) => Promise<WrittenFile>,
): Promise<void> {
  for (const [index, job] of queue) {
    signal?.throwIfAborted();
    written[index] = await write(job);
    fileDone(job.source.length);
    // Lets a signal of the system arrive between two files.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** @param fail called if the thread ends by itself, with or without a file in its hands */
function startThread(fail: (reason: unknown) => void): Worker {
  // Debuggers and loaders of the process are not meant for it.
  const thread = new Worker(new URL('./media-thread.ts', import.meta.url), {
    execArgv: [],
    resourceLimits: heapOfThread,
  });
  thread.once('error', fail);
  thread.once('exit', (code) => fail(new Error(`a thread that encrypts ended with ${code}`)));
  return thread;
}

async function askThread(thread: Worker, job: MediaFileJob, signal: AbortSignal): Promise<WrittenFile> {
  const answered = once(thread, 'message', { signal });
  thread.postMessage(job);
  const [answer] = (await answered) as [MediaThreadAnswer];
  if ('bytes' in answer) return answer;
  throw Object.assign(new Error(answer.message), answer.fields);
}

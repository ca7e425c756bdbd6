import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { workOff } from '../work-off.ts';
import { type MediaFileJob, type WrittenFile, writeMediaFile } from './media-file.ts';
import type { MediaThreadAnswer } from './media-thread.ts';

/** Each takes some 15 MiB. Four encrypt some 4 GB/s, more than most disks write, and keep the command at 160 MiB. */
const mostThreads = 4;
/** In MB. Chunks are outside of this heap. With V8's usual limits it grows to 25 MB before it is collected. */
const heapOfThread = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 16 };
/** Input for each thread: its start takes 50 ms, as long as the encryption of 32 MiB or more. */
const bytesOfThread = 32 * 1024 * 1024;

/**
 * Writes files with several threads at once, up to one for each core, four at most. When the promise settles, nothing writes any more.
 *
 * @param fileDone called after each file, in the order in which they end
 * @returns the files in the order of the jobs
 * @throws what `writeMediaFile` throws; the reason of the signal once that is aborted
 */
export async function writeMediaFiles(
  jobs: readonly MediaFileJob[],
  { fileDone, signal }: { fileDone: (bytes: number) => void; signal: AbortSignal | undefined },
): Promise<WrittenFile[]> {
  const bytes = jobs.reduce((sum, { source }) => sum + source.length, 0);
  const worthwhile = Math.floor(bytes / bytesOfThread);
  const count = Math.min(jobs.length, worthwhile, mostThreads, availableParallelism());
  const failed = new AbortController();
  const stopped = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
  const threads = Array.from({ length: count }, () => startThread((reason) => failed.abort(reason)));
  const free = [...threads];
  const written: WrittenFile[] = [];
  try {
    await workOff([...jobs.entries()], Math.max(1, count), async ([index, job]) => {
      stopped.throwIfAborted();
      const thread = free.pop();
      written[index] = thread ? await askThread(thread, job, stopped) : writeMediaFile(job);
      if (thread) free.push(thread);
      fileDone(job.source.length);
      // Lets a signal of the system arrive between two files.
      await setImmediate();
    });
    return written;
  } catch (error) {
    // Its reason says more than the error of a wait that it has ended.
    stopped.throwIfAborted();
    throw error;
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
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

// Writes media files, one after another, for `media-threads.ts`.
import { parentPort } from 'node:worker_threads';
import { type MediaFileJob, type WrittenFile, writeMediaFile } from './media-file.ts';

/** An error loses its own fields on the way to another thread, so they are sent next to its message. */
export type MediaThreadAnswer = WrittenFile | { message: string; fields: Record<string, unknown> };

parentPort?.on('message', (job: MediaFileJob) => {
  let answer: MediaThreadAnswer;
  try {
    answer = writeMediaFile(job);
  } catch (error) {
    answer = { message: (error as Error).message, fields: { ...(error as object) } };
  }
  parentPort?.postMessage(answer);
});

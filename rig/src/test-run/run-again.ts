import type { CountedRun, FileCounts } from './count-reporter.ts';

/** Where more files than this fail, it is not for want of time. */
const mostFiles = 5;

/**
 * The files of tests that deserve a second look, by themselves: those with a failure, where they are few and nothing went
 * wrong outside them. Next to browsers, databases and a dozen servers, a machine that is shared with others may stand still
 * for longer than the most patient test waits.
 */
export function findFilesToRunAgain({ files, errors }: CountedRun): string[] {
  const failed = files.filter((file) => file.failed > 0).map(({ file }) => file);
  return errors > 0 || failed.length > mostFiles ? [] : failed;
}

/** A run in which some files ran again: those count as they ended then, and as failed where they did not run. */
export function mergeRuns(first: CountedRun, again: readonly string[], second: CountedRun): CountedRun {
  const later = new Map(second.files.map((counts) => [counts.file, counts]));
  const files = first.files.map((counts): FileCounts => {
    if (!again.includes(counts.file)) return counts;
    return later.get(counts.file) ?? counts;
  });
  return { files, errors: first.errors + second.errors };
}

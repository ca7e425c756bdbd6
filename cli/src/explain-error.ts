import { AppError } from '@latchkey/shared/errors';

/** Errors of the operating system that a person can repair (errno(3)). */
const explanations: Record<string, string> = {
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the disk is read-only',
  ENOENT: 'is not there',
  ENOTDIR: 'a part of the path is not a folder',
  EEXIST: 'exists already',
  EMFILE: 'too many open files',
  EIO: 'the disk failed',
};

/** A message for people: the detail of an AppError, plain words for an error of the system, the message of any other. */
export function explainError(error: unknown): string {
  if (error instanceof AppError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const { code, path, dest } = error as NodeJS.ErrnoException & { dest?: string };
  const explanation = code && explanations[code];
  if (!explanation) return error.message;
  const where = dest ?? path;
  return where ? `${where}: ${explanation} (${code})` : `${explanation} (${code})`;
}

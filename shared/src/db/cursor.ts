import { AppError } from '../errors/errors.ts';

/** The end of a page of a list: a time in milliseconds (or a number) and the id that breaks ties. */
export interface Cursor {
  at: number;
  id: string;
}

/** Opaque to clients: base64url of `at:id`. */
export function encodeCursor(cursor: Cursor): string {
  return Buffer.from(`${cursor.at}:${cursor.id}`).toString('base64url');
}

/** @throws AppError VALIDATION_FAILED where the text is not a cursor of this server */
export function decodeCursor(text: string): Cursor {
  const [, at, id] =
    /^(\d{1,16}):([A-Za-z0-9_-]{0,256})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (at === undefined || id === undefined) {
    throw new AppError('VALIDATION_FAILED', {
      detail: 'The cursor is not one that this server gave.',
      members: { errors: [{ path: '/cursor', message: 'must be the next_cursor of an earlier answer' }] },
    });
  }
  return { at: Number(at), id };
}

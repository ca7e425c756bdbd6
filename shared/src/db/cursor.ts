import { AppError } from '../errors/errors.ts';

/** The end of a page of a list: a time in milliseconds (or a number) and the id that breaks ties. */
export interface Cursor {
  at: number;
  id: string;
}

/**
 * Opaque to clients: base64url of `at:id`, or of `order~at:id` for a list that is not in its usual order.
 *
 * @param order such as `-expiresAt`; empty for the usual one
 */
export function encodeCursor(cursor: Cursor, order = ''): string {
  const place = `${cursor.at}:${cursor.id}`;
  return Buffer.from(order === '' ? place : `${order}~${place}`).toString('base64url');
}

/** @throws AppError VALIDATION_FAILED where the text is not a cursor of this server, or is one of another order */
export function decodeCursor(text: string, order = ''): Cursor {
  const [, made = '', at, id] =
    /^(?:([A-Za-z-]{1,32})~)?(\d{1,16}):([A-Za-z0-9_-]{0,256})$/.exec(
      Buffer.from(text, 'base64url').toString(),
    ) ?? [];
  if (at === undefined || id === undefined || made !== order) {
    throw new AppError('VALIDATION_FAILED', {
      detail: 'The cursor is not one that this server gave for this list.',
      members: { errors: [{ path: '/cursor', message: 'must be the next_cursor of an earlier answer' }] },
    });
  }
  return { at: Number(at), id };
}

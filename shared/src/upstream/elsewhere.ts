/**
 * Marks a 503 for this one request only: the process is healthy, has done nothing with the request, and cannot answer it.
 * Another replica may be able to. The caller tries one, and sends its other requests to this process as before.
 */
export const elsewhereHeader = 'x-latchkey-elsewhere';

/** Stands for a 503 with `elsewhereHeader`. */
export class TryElsewhere extends Error {
  constructor() {
    super('it cannot answer this request');
  }
}

/**
 * On a 503 that says nothing of the process, only that it cannot answer this one request and has done nothing with it: another
 * replica may be able to. Whoever asks tries one, and goes on asking this process for everything else.
 */
export const elsewhereHeader = 'x-latchkey-elsewhere';

/** Stands for a 503 with `elsewhereHeader`. */
export class TryElsewhere extends Error {
  constructor() {
    super('it cannot answer this one');
  }
}

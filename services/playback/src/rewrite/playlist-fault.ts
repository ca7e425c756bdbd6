/** A source is no playlist that can be served: its clients get 503, and the operator's log reports the reason. */
export class PlaylistFault extends Error {
  /** @param line counted from 1; undefined for the whole playlist */
  constructor(reason: string, line?: number) {
    super(line === undefined ? reason : `line ${line}: ${reason}`);
  }
}

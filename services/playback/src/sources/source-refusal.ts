import { PlaylistFault } from '../rewrite/playlist-fault.ts';

/** A source answers with another status than 200, or a redirect. */
export class SourceRefusal extends PlaylistFault {
  readonly status: number;

  constructor(status: number) {
    super(`the source answers ${status}`);
    this.status = status;
  }
}

/** On the answers of a service to which the next request had better not go: whoever asks looks for another address. */
export const phaseHeader = 'x-latchkey-phase';

/**
 * `starting`: nothing was done with the request. `ending`: it was served, and the next one had better go elsewhere.
 * `unsure`: this process has lost touch with what changes, and cannot itself know, or soon will not; another one may.
 */
export type Phase = 'starting' | 'ending' | 'unsure';

/** Stands for a request with which nothing was done, so that any request can be sent again. */
export class NotStarted extends Error {
  constructor(why = 'it is still starting') {
    super(why);
  }
}

/** Stands for a 503 of a process that is `unsure`: another one may be able to answer. */
export class UnsureReplica extends Error {
  constructor() {
    super('it cannot know at the moment');
  }
}

/** Stands for an address that keeps a request waiting and gives no sign of life beside it. */
export class Unresponsive extends Error {
  constructor(why = 'it gives no sign of life') {
    super(why);
  }
}

/** Set on the answers of a service that should not get the next request: the caller prefers another address. */
export const phaseHeader = 'x-latchkey-phase';

/**
 * `starting`: nothing was done with the request. `ending`: it was served, and the next one should go elsewhere. `unsure`:
 * this process no longer receives changes and cannot answer from its states, or soon will not. Another one may.
 */
export type Phase = 'starting' | 'ending' | 'unsure';

/** Represents a request with which nothing was done, so that any request can be sent again. */
export class NotStarted extends Error {
  constructor(why = 'it is still starting') {
    super(why);
  }
}

/** Represents a 503 of a process that is `unsure`: another one may be able to answer. */
export class UnsureReplica extends Error {
  constructor() {
    super('its cached states may be out of date');
  }
}

/** Represents an address that keeps a request waiting and does not answer a probe. */
export class Unresponsive extends Error {
  constructor(why = 'it does not respond') {
    super(why);
  }
}

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

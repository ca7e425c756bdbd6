/** On the answers of a service that is starting or about to end: whoever asks looks for another address. */
export const phaseHeader = 'x-latchkey-phase';

/** `starting`: nothing was done with the request. `ending`: it was served, and the next one had better go elsewhere. */
export type Phase = 'starting' | 'ending';

/** Stands for an answer that says that the service is starting: nothing was done, so any request can be sent again. */
export class NotBegun extends Error {
  constructor() {
    super('it is still starting');
  }
}

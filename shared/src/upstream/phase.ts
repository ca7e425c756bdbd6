/** Set on the answers of a process that should not get the next request: the caller prefers another address. */
export const phaseHeader = 'x-latchkey-phase';

/**
 * `starting`: nothing was done with the request. `ending`: it was served, and the next one should go elsewhere. `unsure`:
 * this process no longer receives changes and cannot answer from its states, or soon will not. Another one may.
 */
export type Phase = 'starting' | 'ending' | 'unsure';

/**
 * Marks a 503 for this one request only: the process is healthy, has done nothing with the request, and cannot answer it.
 * Another replica may be able to. The caller tries one, and sends its other requests to this process as before.
 */
export const elsewhereHeader = 'x-latchkey-elsewhere';

// A module of its own, loaded when it is needed: most pages play nothing elsewhere. It imports only types of the main module, of which it
// would be a second copy, and `player-error.ts`, which is a module of its own.
export { createAirPlay } from './airplay.ts';
export { createRemoteSession } from './remote-session.ts';

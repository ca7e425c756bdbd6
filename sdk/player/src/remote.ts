// A module of its own, loaded when it is needed: most pages play nothing elsewhere. It imports nothing of the main module, of which it
// would be a second copy.
export { createAirPlay } from './airplay.ts';
export { createRemoteSession } from './remote-session.ts';

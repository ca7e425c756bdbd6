export { checkMasterKeys, MasterKeyMismatch } from './check-master-keys.ts';
export { masterKeyRule } from './config.ts';
export { type MasterKeyRing, openMasterKeyRing } from './master-key-ring.ts';
export { mount } from './mount.ts';
export { mountOnOwners, separateSettings } from './mount-on-owners.ts';
export type { PacedKey, PaceState } from './pace/key-pace.ts';
export { createLocalPace } from './pace/local-pace.ts';
export { createRemotePace } from './pace/remote-pace.ts';

export { mount } from './app.ts';
export { checkMasterKeys, MasterKeyMismatch } from './check-master-keys.ts';
export { type MasterKeyRing, openMasterKeyRing } from './master-key-ring.ts';
export { mountOnOwners, separateSettings } from './mount-on-owners.ts';

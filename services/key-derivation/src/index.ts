export { checkMasterKeys, MasterKeyMismatch } from './check-master-keys.ts';
export { keyDerivationSettings, masterKeyRule } from './config.ts';
export { type MasterKeyRing, openMasterKeyRing } from './master-key-ring.ts';
export { mount } from './mount.ts';

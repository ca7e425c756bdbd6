export { deriveContentKey, deriveFingerprint } from './derive-content-key.ts';
export { expand, extract } from './hkdf.ts';
export { createMasterKey, type MasterKey } from './master-key.ts';

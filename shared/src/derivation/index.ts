export {
  contentKeyInfo,
  createMasterKey,
  deriveContentKey,
  deriveFingerprint,
  type MasterKey,
} from './derivation.ts';
export { unwrapContentKey, wrapContentKey } from './wrap-key.ts';

export {
  type AnyMasterKey,
  contentKeyInfo,
  createMasterKey,
  deriveContentKey,
  deriveFingerprint,
  extract,
  findContentKey,
  type MasterKey,
} from './derivation.ts';
export { deriveWrappingKey, unwrapContentKey, wrapContentKey } from './wrap-key.ts';

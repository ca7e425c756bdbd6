export {
  type AnyMasterKey,
  contentKeyBytes,
  contentKeyInfo,
  createMasterKey,
  deriveContentKey,
  deriveFingerprint,
  findContentKey,
  type MasterKey,
} from './derivation.ts';
export { keyIdOf, readKeyId, writeUuid } from './key-id.ts';
export { deriveWrappingKey, unwrapContentKey, wrapContentKey } from './wrap-key.ts';

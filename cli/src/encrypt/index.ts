export { createMasterKeySource } from '../keys/derive-from-env.ts';
export { createServerKeySource, type ServerKeyOptions } from '../keys/fetch-content-key.ts';
export { type ContentRegistrar, createContentRegistrar } from '../keys/register-content.ts';
export type { ContentKeySource, KeyName, WrittenContent, WrittenEpochs } from './content-key-source.ts';
export type { EncryptOptions, EncryptReport, Summary } from './encrypt-options.ts';
export { encryptPresentation } from './encrypt-presentation.ts';

export { mount } from './app.ts';
export { contentServiceVariables } from './config.ts';
export { createContentReader } from './content-reader.ts';
export { createImportedKeyReader, createImportedKeyStore } from './imported-keys.ts';
export { createKeyVersionRegistry, knownKeyVersions } from './key-version-store.ts';

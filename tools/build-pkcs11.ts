import { buildPkcs11 } from '@latchkey/support/build-pkcs11';

// Builds the native module by which key-derivation uses a PKCS#11 token. Nobody else needs a compiler: packages run no scripts here when
// they are installed.
process.stdout.write(`pkcs11js is built in ${buildPkcs11()}\n`);

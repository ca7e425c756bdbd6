import { hkdfSync } from 'node:crypto';
import { masterKeyHex, saltHex } from '@latchkey/support/black-box/start-server';

/** The content key that the contract derives (`docs/reference/contract.md#derivation`). @param info `<content>`, `<content>/<epoch>`, … */
export function derive(info: string, masterKey = masterKeyHex, salt = saltHex): Buffer {
  return Buffer.from(hkdfSync('sha256', Buffer.from(masterKey, 'hex'), Buffer.from(salt, 'hex'), info, 16));
}

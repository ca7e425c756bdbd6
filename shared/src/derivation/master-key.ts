import type { KeyObject } from 'node:crypto';
import { extract } from './hkdf.ts';

/** One version of the master key, kept only as the key that HKDF extracted from it and its salt. */
export interface MasterKey {
  /** 1 for `MASTER_KEY_HEX`, 2 for `MASTER_KEY_HEX_V2`, and so on. */
  readonly version: number;
  /** PRK of RFC 5869 section 2.2. As secret as the master key. A key object does not show its content. */
  readonly pseudoRandomKey: KeyObject;
}

/** Both of `masterKey` and `salt` are 32 bytes, as `MASTER_KEY_HEX` and `SALT_HEX` give them. */
export function createMasterKey(version: number, masterKey: Uint8Array, salt: Uint8Array): MasterKey {
  return { version, pseudoRandomKey: extract(salt, masterKey) };
}

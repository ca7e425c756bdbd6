import { extract } from './hkdf.ts';

/** One version of the master key, kept only as the key that HKDF extracted from it and its salt. */
export interface MasterKey {
  /** 1 for `MASTER_KEY_HEX`, 2 for `MASTER_KEY_HEX_V2`, and so on. */
  readonly version: number;
  /** PRK of RFC 5869 section 2.2: 32 octets. As secret as the master key: never logged, never sent. */
  readonly pseudoRandomKey: Uint8Array;
}

/** Both of `masterKey` and `salt` are 32 octets, as `MASTER_KEY_HEX` and `SALT_HEX` give them. */
export function createMasterKey(version: number, masterKey: Uint8Array, salt: Uint8Array): MasterKey {
  const pseudoRandomKey = extract(salt, masterKey);
  return {
    version,
    // Behind a getter and a toJSON of its own, so that neither a log line nor an inspection shows it.
    get pseudoRandomKey() {
      return pseudoRandomKey;
    },
    toJSON: () => ({ version }),
  } as MasterKey;
}

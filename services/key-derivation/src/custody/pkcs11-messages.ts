// Between `pkcs11.ts` and its thread.

/** A token and how it is opened. */
export interface TokenPlace {
  tokenLabel: string;
  /** Of the token's user (CKU_USER). */
  pin: string;
}

export interface ThreadCall extends TokenPlace {
  id: number;
  /** `import` stores the message as a key. */
  work: 'mac' | 'import';
  keyLabel: string;
  message: Uint8Array;
}

export type ThreadAnswer =
  | { id: number; result: Uint8Array }
  | { id: number; fault: { kind: 'away' | 'refused'; message: string } };

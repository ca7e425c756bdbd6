/** Bytes of an HMAC-SHA-256 (RFC 2104). */
export const macBytes = 32;

/** Computes HMAC-SHA-256 under the extracted key (the PRK of RFC 5869 section 2.2) of one version of the master key, which it never gives away. */
export interface KeyCustodian {
  /**
   * @returns 32 bytes
   * @throws CustodianFault
   */
  mac(message: Uint8Array, signal: AbortSignal): Promise<Buffer>;
  close(): Promise<void>;
}

/** One provider of a process. Custodians of one provider may share what they have open. */
export interface Provider<Settings> {
  open(settings: Settings): KeyCustodian;
  /**
   * Stores the extracted key of a version where the settings say, so that it can be used there and never leaves it.
   *
   * @param extractedKey 32 bytes: the PRK of RFC 5869 section 2.2
   * @throws CustodianFault, also if there is a key already
   */
  importKey(settings: Settings, extractedKey: Buffer): Promise<void>;
  close(): Promise<void>;
}

/**
 * `away`: the network, a timeout, a 5xx. `throttled`: too many calls. `refused`: credentials, policy or an unknown key, so an operator must
 * act, and to try again soon does not help.
 */
type CustodianFaultKind = 'away' | 'throttled' | 'refused';

interface CustodianFaultOptions {
  /** Milliseconds that the custodian asked to wait. */
  retryAfterMs?: number;
  cause?: unknown;
}

/** Why a custodian did not answer. Its message is for the operator, without a secret. */
export class CustodianFault extends Error {
  readonly kind: CustodianFaultKind;
  readonly retryAfterMs: number | undefined;
  /** The message is enough, without a stack. */
  readonly forOperator = true;

  constructor(
    kind: CustodianFaultKind,
    message: string,
    { retryAfterMs, cause }: CustodianFaultOptions = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'CustodianFault';
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

import { readFileSync } from 'node:fs';
import type { VaultLogin } from '@latchkey/shared/config';
import { CustodianFault } from './key-custodian.ts';
import type { VaultClient } from './vault-client.ts';

/** A token is renewed when half of its time is over, so that a renewal may fail once or twice. */
const renewAfterShare = 0.5;
/** The shortest pause before a renewal, also after one that failed. */
const renewPauseLeastMs = 5_000;
/** The longest: a timer of Node counts to 24.8 days. */
const renewPauseMostMs = 86_400_000;
/** Calls that wait for it have as long. */
const loginLimitMs = 2_000;
/** A renewal may take longer: no call waits for it. */
const renewLimitMs = 10_000;

/** The token of a process. */
export interface VaultTokens {
  /**
   * Runs a call with the token. If it is refused, a token that is newer (of the file, or of a new login) is tried once.
   *
   * @throws what the call or the login throws
   */
  withToken<T>(call: (token: string) => Promise<T>): Promise<T>;
  close(): void;
}

interface VaultLoginOptions {
  client: VaultClient;
  login: VaultLogin;
  /** Runs the work later. @returns what prevents it */
  after: (ms: number, work: () => void) => () => void;
}

/** A token as Vault describes it. */
interface Granted {
  token: string;
  /** Of its lease; 0 for one that never ends. */
  seconds: number;
  isRenewable: boolean;
}

/** The present token, and its renewal. */
interface KeptToken {
  readonly current: string | null;
  /** @param lifeMs how long it lasts; null if what gave it renews it, 0 if that is not known yet */
  keep(token: string, lifeMs: number | null): string;
  close(): void;
}

function createKeptToken({ client, after }: Pick<VaultLoginOptions, 'client' | 'after'>): KeptToken {
  let current: string | null = null;
  let cancelRenewal = () => {};

  function renewLater(ms: number): void {
    const pauseMs = Math.min(renewPauseMostMs, Math.max(renewPauseLeastMs, ms));
    cancelRenewal = after(pauseMs, () => void renew(pauseMs));
  }

  /** Tried again later if it fails. A token that ended nevertheless is refused, and then there is a new login. */
  async function renew(pauseMs: number): Promise<void> {
    const token = current;
    if (token === null) return;
    const signal = AbortSignal.timeout(renewLimitMs);
    try {
      const answer = await client.call('POST', 'auth/token/renew-self', { token, body: {}, signal });
      if (current === token) keep(token, lifeOf(readGranted(answer)));
    } catch (error) {
      // Refused: it is no token that can be renewed.
      const isOver = error instanceof CustodianFault && error.kind === 'refused';
      if (!isOver && current === token) renewLater(pauseMs / 2);
    }
  }

  function keep(token: string, lifeMs: number | null): string {
    cancelRenewal();
    current = token;
    if (lifeMs !== null) renewLater(lifeMs * renewAfterShare);
    return token;
  }

  return {
    get current() {
      return current;
    },
    keep,
    close: () => cancelRenewal(),
  };
}

/**
 * A token of the configuration, or one that AppRole gives. It is renewed before it ends, except a token from a file: the program that writes
 * the file, such as Vault Agent, renews it.
 */
export function createVaultLogin({ client, login, after }: VaultLoginOptions): VaultTokens {
  const kept = createKeptToken({ client, after });
  let pending: Promise<string> | null = null;

  async function obtain(): Promise<string> {
    if ('roleId' in login) {
      const signal = AbortSignal.timeout(loginLimitMs);
      const body = { role_id: login.roleId, secret_id: login.secretId.reveal() };
      const granted = readGranted(await client.call('POST', 'auth/approle/login', { body, signal }));
      return kept.keep(granted.token, lifeOf(granted));
    }
    if (login.tokenFile !== undefined) return kept.keep(readTokenFile(login.tokenFile), null);
    // How long it lasts is not known yet. A first renewal tells.
    return kept.keep(login.token.reveal(), 0);
  }

  /** One login at a time, whatever the number of calls that wait for it. */
  function obtainOnce(): Promise<string> {
    pending ??= obtain().finally(() => {
      pending = null;
    });
    return pending;
  }

  return {
    async withToken(call) {
      const token = kept.current ?? (await obtainOnce());
      try {
        return await call(token);
      } catch (error) {
        if (!(error instanceof CustodianFault && error.kind === 'refused')) throw error;
        // Another call may have got a newer one meanwhile.
        const { current } = kept;
        const newer = current !== null && current !== token ? current : await obtainOnce();
        if (newer === token) throw error;
        return call(newer);
      }
    },
    close: () => kept.close(),
  };
}

/** Milliseconds; null for a token that never ends, or that cannot be renewed. */
const lifeOf = ({ seconds, isRenewable }: Granted) => (isRenewable && seconds > 0 ? seconds * 1_000 : null);

function readGranted(answer: unknown): Granted {
  const { auth } = (answer ?? {}) as { auth?: Record<string, unknown> };
  const { client_token: token, lease_duration: seconds, renewable } = auth ?? {};
  if (typeof token !== 'string' || token === '') throw new CustodianFault('refused', 'Vault gave no token');
  return { token, seconds: Number(seconds) || 0, isRenewable: renewable === true };
}

function readTokenFile(path: string): string {
  try {
    const token = readFileSync(path, 'utf8').trim();
    if (token !== '') return token;
  } catch (cause) {
    const { code = 'unreadable' } = cause as NodeJS.ErrnoException;
    throw new CustodianFault('away', `VAULT_TOKEN_FILE is ${path}, which cannot be read (${code})`, {
      cause,
    });
  }
  throw new CustodianFault('away', `VAULT_TOKEN_FILE is ${path}, which is empty`);
}

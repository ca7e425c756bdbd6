import type pg from 'pg';
import type { Logins } from '../net/index.ts';

/** How long a pool takes no new connections after every login was refused: an operator's next command takes longer. */
const pauseMs = 500;

/**
 * Whether Postgres or a pooler refused the user or the password: invalid_password and invalid_authorization_specification (manual, appendix
 * A). PgBouncer before 1.24 says protocol_violation for both.
 */
function isLoginRefused(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  if (code === '28P01' || code === '28000') return true;
  return code === '08P01' && /authentication failed|no such user/i.test(message ?? '');
}

interface LoginListeners {
  onAccepted: () => void;
  onRefused: (error: Error) => void;
}

/** Calls back once the client has connected or was refused. The pool connects it with a callback, and tells nobody which client failed. */
export function watchLogin(client: pg.Client, { onAccepted, onRefused }: LoginListeners): void {
  const connect = client.connect.bind(client) as (callback: (error: Error | null) => void) => void;
  client.connect = ((callback: (error: Error | null) => void) =>
    connect((error) => {
      if (!error) onAccepted();
      else if (isLoginRefused(error)) onRefused(error);
      callback(error);
    })) as typeof client.connect;
}

interface LoginsOfPool {
  pool: pg.Pool;
  logins: Logins;
  /** The login that a failed connection had presented; undefined for every other failure. */
  refusedLogin(error: unknown): string | undefined;
  /** Open connections of the pool. */
  openConnections(): number;
  /** How long a caller may wait. */
  waitMs: number;
  onRefused: (error: unknown) => void;
}

/**
 * Connects with the next login where one is refused. Where all are refused, the role has a new password that this process cannot know yet. The
 * open connections are still good then, so callers wait for one of them, as they do where the pool is full.
 *
 * @returns a function that connects
 */
export function createLoginRetry(options: LoginsOfPool): () => Promise<pg.PoolClient> {
  const { pool, logins, refusedLogin, openConnections, waitMs, onRefused } = options;
  const { max } = pool.options;
  let isPausing = false;

  function pauseConnecting(): void {
    // The pool then gives out what is open, and makes its callers wait for it.
    pool.options.max = openConnections();
    if (isPausing) return;
    isPausing = true;
    setTimeout(() => {
      isPausing = false;
      pool.options.max = max;
    }, pauseMs).unref();
  }

  return async () => {
    const limitMs = performance.now() + waitMs;
    for (;;) {
      try {
        return await pool.connect();
      } catch (error) {
        const login = refusedLogin(error);
        if (login === undefined) throw error;
        if (logins.refuse(login)) continue;
        onRefused(error);
        if (openConnections() === 0 || performance.now() > limitMs) throw error;
        pauseConnecting();
      }
    }
  };
}

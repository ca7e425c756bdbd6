import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';

/** Postgres' own default of `scram_iterations`. The passwords are long and random, so more would protect nothing. */
const iterations = 4_096;
const keyBytes = 32;

/**
 * A password in the form in which Postgres stores it (RFC 5803, and pg_authid in its manual). A statement that holds the
 * password itself would stand in Postgres' log, where statements are logged or one fails.
 *
 * @param password ASCII: other characters would have to be prepared as RFC 4013 says
 * @param salt 16 random bytes
 */
export function createScramVerifier(password: string, salt: Uint8Array): string {
  const salted = pbkdf2Sync(password, salt, iterations, keyBytes, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64');
  const serverKey = hmac('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${Buffer.from(salt).toString('base64')}$${storedKey}:${serverKey}`;
}

import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';

/** A user as the rest of the application sees one. */
export interface User {
  readonly id: string;
  readonly name: string;
  readonly isAdmin: boolean;
}

/** A user who can sign in. It is invented: your application has a login, keeps no password as text, and limits attempts. */
export interface Account extends User {
  readonly password: string;
}

/** Which user is signed in, by a cookie. */
export interface Sessions {
  /** @returns the value for `Set-Cookie`; undefined for a wrong name or password */
  begin(userId: string, password: string): string | undefined;
  /** @param cookies the header `Cookie` of a request */
  userOf(cookies: string | undefined): User | undefined;
  /** @returns the value for `Set-Cookie` */
  end(cookies: string | undefined): string;
}

const cookieName = 'example_session';
/** Add `Secure` if your site uses TLS. */
const attributes = 'Path=/; HttpOnly; SameSite=Strict';
/** Sessions are kept in memory. Beyond this number the oldest is removed. */
const mostSessions = 1_000;

export function createSessions(accounts: readonly Account[]): Sessions {
  const users = new Map<string, User>();
  return {
    begin(userId, password) {
      const account = accounts.find(({ id }) => id === userId);
      if (!account || !isSame(account.password, password)) return undefined;
      const [oldest] = users.keys();
      if (users.size >= mostSessions && oldest !== undefined) users.delete(oldest);
      const id = randomUUID();
      users.set(id, { id: account.id, name: account.name, isAdmin: account.isAdmin });
      return `${cookieName}=${id}; ${attributes}`;
    },
    userOf: (cookies) => users.get(readId(cookies)),
    end(cookies) {
      users.delete(readId(cookies));
      return `${cookieName}=; Max-Age=0; ${attributes}`;
    },
  };
}

function readId(cookies = ''): string {
  const pairs = cookies.split('; ').map((pair) => pair.split('='));
  return pairs.find(([name]) => name === cookieName)?.[1] ?? '';
}

/** In a time that does not depend on where two passwords differ. */
function isSame(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => createHash('sha256').update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

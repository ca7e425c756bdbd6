import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Which user is signed in, by a cookie. It is invented: it needs no password. */
export interface Sessions {
  /** @returns the value for `Set-Cookie` */
  begin(userId: string): string;
  /** The user of a request, or undefined. */
  userIdOf(request: IncomingMessage): string | undefined;
}

const cookieName = 'example_session';
/** Sessions are kept in memory. Beyond this number the oldest is removed. */
const mostSessions = 1_000;

export function createSessions(): Sessions {
  const userIds = new Map<string, string>();
  return {
    begin(userId) {
      const [oldest] = userIds.keys();
      if (userIds.size >= mostSessions && oldest !== undefined) userIds.delete(oldest);
      const id = randomUUID();
      userIds.set(id, userId);
      // Add `Secure` if your site uses TLS.
      return `${cookieName}=${id}; Path=/; HttpOnly; SameSite=Strict`;
    },
    userIdOf({ headers }) {
      const pairs = (headers.cookie ?? '').split('; ').map((pair) => pair.split('='));
      const [, id = ''] = pairs.find(([name]) => name === cookieName) ?? [];
      return userIds.get(id);
    },
  };
}

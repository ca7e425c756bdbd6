import type { FastifyRequest } from 'fastify';
import { Refusal } from './refusal.ts';
import type { Sessions, User } from './sessions.ts';

/** Who sends a request. */
export interface Access {
  /** @throws Refusal if nobody is signed in */
  userOf(request: FastifyRequest): User;
  /** @throws Refusal if it is not an administrator */
  adminOf(request: FastifyRequest): User;
}

export function createAccess(sessions: Sessions): Access {
  function userOf({ headers }: FastifyRequest): User {
    const user = sessions.userOf(headers.cookie);
    if (!user) throw new Refusal(401, 'NOT_SIGNED_IN', 'You are not signed in.');
    return user;
  }
  return {
    userOf,
    adminOf(request) {
      const user = userOf(request);
      if (!user.isAdmin) throw new Refusal(403, 'NOT_ALLOWED', `${user.name} may not do this.`);
      return user;
    },
  };
}

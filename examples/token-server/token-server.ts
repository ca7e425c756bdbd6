import type { IncomingMessage, ServerResponse } from 'node:http';
import { readJson, refuse, sendJson } from './http.ts';
import type { IssuedToken, TokenIssuer } from './issue-tokens.ts';
import type { Sessions } from './sessions.ts';
import { findUser, type User, users } from './users.ts';

export interface TokenServerOptions {
  /** The origin of the pages that may ask: scheme, host and port, as a browser sends it in `Origin`. */
  readonly origin: string;
  readonly issuer: TokenIssuer;
  readonly sessions: Sessions;
  /** Whether the content exists. */
  readonly hasContent: (contentId: string) => boolean;
}

/** @returns false, with nothing answered, for a path that is not its own */
export type TokenServer = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/**
 * Answers these requests:
 *
 * - `GET /session`: the user who is signed in, and all users
 * - `POST /session { userId }`: signs in
 * - `POST /tokens/viewer { contentId }`: a token to watch the content: `{ token, expiresInSeconds }`
 * - `POST /tokens/upload { contentId }`: a token to upload to it
 *
 * Errors are `{ code, detail }`.
 */
export function createTokenServer({ origin, issuer, sessions, hasContent }: TokenServerOptions): TokenServer {
  const userOf = (request: IncomingMessage) => findUser(sessions.userIdOf(request));

  function giveToken(
    may: (user: User) => boolean,
    issue: (userId: string, contentId: string) => Promise<IssuedToken>,
  ): Handler {
    return async (request, response) => {
      const { contentId } = await readJson(request);
      const user = userOf(request);
      if (!user) return refuse(response, 401, 'NOT_SIGNED_IN', 'Nobody is signed in.');
      if (typeof contentId !== 'string' || !hasContent(contentId))
        return refuse(response, 404, 'NO_SUCH_CONTENT', 'There is no such content.');
      // The one decision: only users whom your application allows get a token.
      if (!may(user)) return refuse(response, 403, 'NOT_ALLOWED', `${user.name} may not do this.`);
      sendJson(response, 200, await issue(user.id, contentId));
    };
  }

  const handlers: Readonly<Record<string, Handler>> = {
    'GET /session': (request, response) => sendJson(response, 200, { user: userOf(request) ?? null, users }),
    async 'POST /session'(request, response) {
      const user = findUser((await readJson(request)).userId);
      if (!user) return refuse(response, 404, 'NO_SUCH_USER', 'There is no such user.');
      response.setHeader('set-cookie', sessions.begin(user.id));
      sendJson(response, 200, { user });
    },
    'POST /tokens/viewer': giveToken(({ mayWatch }) => mayWatch, issuer.forViewer),
    'POST /tokens/upload': giveToken(({ mayUpload }) => mayUpload, issuer.forUpload),
  };

  return async (request, response) => {
    const { method, url, headers } = request;
    const known = Object.keys(handlers).filter((name) => name.endsWith(` ${url}`));
    if (known.length === 0) return false;
    const handler = handlers[`${method} ${url}`];
    // Pages of other origins can send requests too, and the browser then names their origin.
    if (headers.origin !== undefined && headers.origin !== origin) {
      refuse(response, 403, 'FOREIGN_ORIGIN', 'Only the pages of this application may do this.');
    } else if (handler) {
      await handler(request, response);
    } else {
      response.setHeader('allow', known.map((name) => name.split(' ')[0]).join(', '));
      refuse(response, 405, 'METHOD_NOT_ALLOWED', 'See the header Allow.');
    }
    return true;
  };
}

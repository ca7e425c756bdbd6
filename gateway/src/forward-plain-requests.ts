import type { IncomingMessage } from 'node:http';
import { splitSessionTarget } from '@latchkey/shared/auth';
import type { DeferredAnswer, PlainAnswerer, PlainExchange } from '@latchkey/shared/http';
import { redactPath } from '@latchkey/shared/log';
import type { RouteRow } from './route-table.ts';

/** Of the row that is forwarded below the router. */
export const keysPath = '/keys';
/** The pattern that the router has for the paths below it. */
const keysRoute = `${keysPath}/*`;

/**
 * A path of a key without a query or an escape (but for the id of a session), with an id of the length that ids have (`docs/contract.md#conventions`). The service judges
 * the rest. The router forwards all other forms.
 */
const plainPath = /^\/keys\/[A-Za-z0-9_-]{1,256}(?:\/[0-9]{1,10}|\/kid\/[0-9a-f-]{36})?$/;

/** What stands in a log for the id of a session. */
const hiddenSession = '?s=***';

/** Paths that are kept: nearly all requests ask for one of a few keys. Each takes some 300 bytes, or 1 KB with the longest ids. */
const pathsKept = 1_024;

/** The status of an answer whose path names something. */
const served = 200;

/**
 * Finds requests for keys that need nothing of the router: `GET` of a plain path, with the id of a session or without. Their forwarding is the same as that of all others.
 *
 * @param routes all that is forwarded
 * @param forward begins the forwarding of a request
 */
export function createPlainForwarder(
  routes: readonly RouteRow[],
  forward: (exchange: PlainExchange) => void,
): PlainAnswerer {
  const others = routes.filter(({ path }) => path !== keysPath).map(({ path }) => path);
  const isOfAnother = (url: string) => others.some((path) => url === path || url.startsWith(`${path}/`));
  const known = new Map<string, DeferredAnswer>();
  /** Of the same paths, with the id of a session behind them. Each session has another, so the paths are kept without it. */
  const knownOfSessions = new Map<string, DeferredAnswer>();

  /** Keeps the path of a served key. A path that names nothing is not kept, and pushes none out. */
  function keep(path: string, answer: DeferredAnswer, paths: Map<string, DeferredAnswer>): void {
    // Starting again costs a few microseconds for each path in use.
    if (paths.size >= pathsKept) paths.clear();
    paths.set(path, { ...answer, begin: forward });
  }

  return ({ method, url: target = '' }: IncomingMessage) => {
    if (method !== 'GET') return null;
    const session = target.includes('?') ? splitSessionTarget(target) : null;
    const url = session?.path ?? target;
    const paths = session ? knownOfSessions : known;
    const before = paths.get(url);
    if (before) return before;
    if (!plainPath.test(url) || isOfAnother(url)) return null;
    const answer: DeferredAnswer = {
      route: keysRoute,
      path: redactPath(url) + (session ? hiddenSession : ''),
      begin(exchange) {
        const { response } = exchange;
        response.once('finish', () => {
          if (response.statusCode === served) keep(url, answer, paths);
        });
        forward(exchange);
      },
    };
    return answer;
  };
}

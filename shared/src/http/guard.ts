import type { FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify';
import type { Kysely } from 'kysely';
import type { RefusalLog } from '../audit/index.ts';
import {
  type Access,
  type Authenticator,
  accessRules,
  assertContentExists,
  assertNotLimited,
  assertScope,
  type CredentialSource,
  type KeyCredentials,
  type KeyName,
  type NamedContents,
  readBasicPassword,
  readBearer,
  readCredentials,
  readSession,
  takesBasic,
} from '../auth/index.ts';
import type { Clock } from '../clock/clock.ts';
import type { Principal } from '../contracts/index.ts';
import type { Schema } from '../db/index.ts';
import { AppError } from '../errors/errors.ts';
import type { Ledger, WaitUntilApplied } from '../events/index.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { App } from './routes.ts';
import type { ViewerCeiling } from './viewer-ceiling.ts';
import type { WrongSessions } from './wrong-sessions.ts';

const headerOnly: readonly CredentialSource[] = ['header'];

export interface GuardOptions {
  authenticator: Authenticator;
  /** Where viewer routes take a token from. Management routes take it from the header only. */
  viewerSources?: readonly CredentialSource[];
  /** Reads credentials in the URL of one content key. Left out where the process has no key routes. */
  keyCredentials?: KeyCredentials;
  /** Limits look-ups of sessions. Left out where the process has no routes that take one. */
  wrongSessions?: WrongSessions;
  /** Null where limits are off. */
  limiter: RateLimiter | null;
  /** Bounds the acts of viewers, also where limits are off. Left out where the process has no routes that viewers write by. */
  ceiling?: ViewerCeiling;
}

/**
 * Authenticates every request of the routes that are added after it, before its body is read. Each route must name its
 * row of the scope table and how it names contents, so that no route is open by oversight.
 */
export function addGuard(
  app: App,
  {
    authenticator,
    viewerSources = headerOnly,
    keyCredentials,
    wrongSessions,
    limiter,
    ceiling,
  }: GuardOptions,
): void {
  const identify = (request: FastifyRequest, reply: FastifyReply, access: Access) => {
    const { headers, query } = request;
    if (takesBasic(access))
      return authenticator.identify(readBearer(headers) ?? readBasicPassword(headers), access);
    const sources = accessRules[access]?.viewer ? viewerSources : headerOnly;
    const credentials = readCredentials(headers, query, sources);
    if (credentials.length === 0 && (access === 'keys' || access === 'licenses')) {
      const { key_credential: inUrl, s: sid } = query as { key_credential?: unknown; s?: unknown };
      if (inUrl !== undefined && keyCredentials && access === 'keys')
        return authenticator.identifyIssuer(keyCredentials.open(request.params as KeyName, inUrl));
      if (sid !== undefined) {
        const principal = readSession(sid);
        wrongSessions?.assertMayLookUp(principal.session, request, reply);
        return principal;
      }
    }
    return credentials.length > 1
      ? identifyAny(authenticator, credentials, access)
      : authenticator.identify(credentials[0] ?? null, access);
  };
  app.addHook('onRoute', (route) => {
    const { config, url, method } = route;
    if (!config?.access) throw new Error(`${String(method)} ${url} names no row of the scope table`);
    if (config.access === 'internal')
      throw new Error(
        `${String(method)} ${url} is for other services only, and must not be added to the routes of clients`,
      );
    const { contents } = config;
    if (config.access !== 'open' && !contents)
      throw new Error(`${String(method)} ${url} does not declare how it names contents`);
    if (typeof contents === 'object')
      route.preHandler = [requireContent(contents), route.preHandler ?? []].flat();
    // A hook of the few routes that it counts, so that key requests do not run it. It follows the guard's own.
    const countAct = ceiling?.(config.action);
    if (countAct) route.onRequest = [route.onRequest ?? [], countAct].flat();
  });

  app.addHook('onError', async (request, _reply, error) => {
    if (!(error instanceof AppError) || error.code !== 'INVALID_SESSION') return;
    wrongSessions?.note(request.clientIp);
    // The log must not name the holder of a lease as the caller: this caller did not have the secret.
    request.principal = null;
  });
  app.addHook('onRequest', (request, reply, done) => {
    const { access, contents, limitsRefusals } = request.routeOptions.config;
    if (!access || access === 'open') return countThen(request, reply, limiter, done);
    const settle = (principal: Principal) => {
      // A caller that is refused for its scope is still known: the audit and the log line name it.
      request.principal = principal;
      try {
        assertScope(principal, access);
        if (contents === 'whole-server') assertNotLimited(principal, access);
      } catch (error) {
        return countThen(request, reply, limiter, done, error as Error);
      }
      countThen(request, reply, limitsRefusals ? null : limiter, done);
    };
    let principal: Principal | Promise<Principal>;
    try {
      principal = identify(request, reply, access);
    } catch (error) {
      return countThen(request, reply, limiter, done, error as Error);
    }
    if (!(principal instanceof Promise)) return settle(principal);
    principal.then(settle, (error: Error) => countThen(request, reply, limiter, done, error));
  });
}

/**
 * The principal of the first credential that is accepted. A stale cookie from another path or domain may come before the good one.
 *
 * @throws the refusal of the first, unless one could not be checked: then it is unknown whether the request has a valid one (503)
 */
async function identifyAny(
  authenticator: Authenticator,
  credentials: readonly string[],
  access: Access,
): Promise<Principal> {
  let refusal: unknown;
  for (const credential of credentials) {
    try {
      return await authenticator.identify(credential, access);
    } catch (error) {
      const isUnknown = error instanceof AppError && error.code === 'DEPENDENCY_UNAVAILABLE';
      if (refusal === undefined || isUnknown) refusal = error;
    }
  }
  throw refusal;
}

/** Refuses the contents that do not exist for a limited API key, by the id alone: nothing is read that the time of the answer could tell of. */
function requireContent({ in: place, member }: Exclude<NamedContents, string>): preHandlerHookHandler {
  return (request, _reply, done) => {
    const contentId = ((request[place] ?? {}) as Record<string, unknown>)[member];
    try {
      if (request.principal && typeof contentId === 'string')
        assertContentExists(request.principal, contentId);
      done();
    } catch (error) {
      done(error as Error);
    }
  };
}

/** Continues, or fails with the refusal. A rate limit that is reached is answered first. */
function countThen(
  request: FastifyRequest,
  reply: FastifyReply,
  limiter: RateLimiter | null,
  done: (error?: Error) => void,
  refusal?: Error,
): void {
  if (limiter) limiter(request, reply).then(() => done(refusal), done);
  else done(refusal);
}

/** The options for the routes of every service that keeps rows. `DB` lists the tables that the service may use. */
export interface RouteOptions<DB = Schema> {
  db: Kysely<DB>;
  ledger: Ledger<DB>;
  /** For `?wait=applied`. */
  waitUntilApplied: WaitUntilApplied;
  clock: Clock;
  /** A UUID. */
  randomId: () => string;
  refusals: RefusalLog;
  guard: GuardOptions;
}

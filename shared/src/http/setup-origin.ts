import type { IncomingMessage } from 'node:http';
import type { Clock } from '../clock/clock.ts';
import { isDirectFromLoopback, isLoopback, normalizeIp, type TrustProxy } from '../net/index.ts';
import { type ForeignPageReason, foreignPageReason, readHost } from './csrf.ts';

/** Where a call of setup comes from. */
export interface SetupOrigin {
  /** Whether it comes straight from this machine, and such calls need no bootstrap key (`docs/reference/contract.md#setup`). */
  isDirect: boolean;
  /** Why the call counts as one of a page of another origin; null for the dashboard and for callers that are not browsers. */
  foreignPage: ForeignPageReason | null;
}

/** The parts of a request that show it. */
export interface SetupCall extends Pick<IncomingMessage, 'url' | 'headers' | 'rawHeaders'> {
  socket: Pick<IncomingMessage['socket'], 'remoteAddress' | 'localPort'>;
}

/** `NODE_ENV`, `TRUST_PROXY` and `PUBLIC_URL`, as far as the process has them. */
export interface SetupExceptionSettings {
  nodeEnv?: string | undefined;
  trustProxy?: TrustProxy | undefined;
  publicUrl?: string | undefined;
}

/** Long enough to read the first page of the documents. A server that runs longer is in use, perhaps behind a proxy. */
const exceptionLastsMs = 10 * 60_000;
const defaultHttpPort = 80;

/**
 * Whether the configuration allows calls from this machine to claim the server without the bootstrap key. A proxy on the same machine
 * with nothing but its defaults makes all clients look like such calls, so nothing may suggest a proxy.
 */
export function allowsSetupException({ nodeEnv, trustProxy, publicUrl }: SetupExceptionSettings): boolean {
  return (
    nodeEnv !== 'production' &&
    publicUrl === undefined &&
    (trustProxy === undefined || trustProxy.kind === 'none')
  );
}

/**
 * The time in which calls from this machine need no bootstrap key. It begins with this call, which is made once, at the start. The
 * clock is the monotonic one, so that setting the wall clock back does not begin it again.
 */
export function startSetupException(settings: SetupExceptionSettings, clock: Clock): () => boolean {
  if (!allowsSetupException(settings)) return () => false;
  const startedMs = clock.monotonic();
  return () => clock.monotonic() - startedMs < exceptionLastsMs;
}

/** Judges calls of setup in the process that clients connect to. Made once, at the start. */
export function createSetupOriginReader(
  settings: SetupExceptionSettings,
  clock: Clock,
): (call: SetupCall) => SetupOrigin {
  const isExceptionOpen = startSetupException(settings, clock);
  return (call) => ({
    isDirect: isExceptionOpen() && isStraightFromThisMachine(call),
    foreignPage: foreignPageReason(call.headers, settings.publicUrl ?? null),
  });
}

/** By a loopback connection, without a sign of a proxy, and to a name of this machine with the port that it was sent to. */
function isStraightFromThisMachine({ url, socket, headers, rawHeaders }: SetupCall): boolean {
  // The absolute form is for proxies (RFC 9112 section 3.2.2), and its host counts instead of `Host`.
  if (!url?.startsWith('/') || !isDirectFromLoopback(socket.remoteAddress, headers)) return false;
  // Node keeps the first of several. A request with two is malformed (RFC 9112 section 3.2).
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  return hosts.length === 1 && isOwnAddress(headers.host, socket.localPort);
}

/** Whether `Host` is `localhost` or a loopback address, with this port. Other names can be pointed at this machine by anyone. */
function isOwnAddress(host: string | undefined, ownPort: number | undefined): boolean {
  const named = readHost(host);
  if (!named || (named.port === '' ? defaultHttpPort : Number(named.port)) !== ownPort) return false;
  const address = normalizeIp(named.name);
  return named.name === 'localhost' || (address !== undefined && isLoopback(address));
}

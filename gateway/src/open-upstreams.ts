import type { Shutdown } from '@latchkey/shared/lifecycle';
import { describeServiceTls, type TlsFiles } from '@latchkey/shared/tls';
import { createUpstream, systemLookup, type Upstream } from '@latchkey/shared/upstream';

/** Connections to each address of a service: enough for a burst of key requests, few enough for the limit of open files. */
const connections = 128;
/** To each address of auth, for event streams. Auth opens 512 and refuses the next one, so that refusal must reach it. */
const streamConnections = 640;

/** Opens the addresses of a service. They close with the process. */
type OpenUpstream = (name: string, urls: readonly string[], connectionsToEach?: number) => Upstream;

export function createUpstreamOpener({
  warn,
  shutdown,
  internalTls,
}: {
  warn: (message: string, error: unknown) => void;
  shutdown: Shutdown;
  internalTls: TlsFiles | null;
}): OpenUpstream {
  return (name, urls, connectionsToEach = connections) => {
    const upstream = createUpstream({
      urls,
      lookup: systemLookup,
      connections: connectionsToEach,
      tls: describeServiceTls(name, internalTls),
      onFault: (error) =>
        warn(
          `the host name of ${name} cannot be resolved: addresses known before stay in use. Check the URL and DNS`,
          error,
        ),
    });
    shutdown.add(`connections to ${name}`, 1_000, () => upstream.close());
    return upstream;
  };
}

/** The services that every front door forwards to: all but key-derivation. */
export function openServices(
  open: OpenUpstream,
  urls: Record<'authUrls' | 'contentUrls' | 'leasesUrls' | 'playbackUrls', readonly string[]>,
): Record<'auth' | 'content' | 'leases' | 'playback', Upstream> {
  return {
    auth: open('auth', urls.authUrls),
    content: open('content', urls.contentUrls),
    leases: open('leases', urls.leasesUrls),
    playback: open('playback', urls.playbackUrls),
  };
}

export function openEventStreams(open: OpenUpstream, authUrls: readonly string[]): Upstream {
  return open('auth', authUrls, streamConnections);
}

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
  urls: Record<
    'authServiceUrl' | 'contentServiceUrl' | 'leasesServiceUrl' | 'playbackServiceUrl',
    readonly string[]
  >,
): Record<'auth' | 'content' | 'leases' | 'playback', Upstream> {
  return {
    auth: open('auth', urls.authServiceUrl),
    content: open('content', urls.contentServiceUrl),
    leases: open('leases', urls.leasesServiceUrl),
    playback: open('playback', urls.playbackServiceUrl),
  };
}

export function openEventStreams(open: OpenUpstream, authServiceUrl: readonly string[]): Upstream {
  return open('auth', authServiceUrl, streamConnections);
}

import { isIP } from 'node:net';
import type { buildConnector } from 'undici';
import { explainTlsFault, type ServiceTls, type TlsMaterial, type TlsRefused } from '../tls/index.ts';

interface HttpsConnectorOptions {
  /** The host as it was configured: the certificate must be for it. */
  serverName: string;
  timeoutMs: number;
  tls: ServiceTls;
  /** Called after each try of a connection: with the fault of its TLS, or null if it is open or failed for another reason. */
  onResult: (fault: TlsRefused | null) => void;
}

/**
 * Makes connections with TLS for undici. Each new one uses what the files hold then.
 *
 * A connection begins with a whole handshake: one that resumed an earlier session would be trusted by a certificate or CA that has
 * been replaced since.
 */
export function createHttpsConnector(
  build: typeof buildConnector,
  options: HttpsConnectorOptions,
): buildConnector.connector {
  const { serverName, timeoutMs, tls, onResult } = options;
  let material: TlsMaterial | undefined;
  let connect: buildConnector.connector | undefined;

  /** The same one until a file has changed. */
  function latest(): buildConnector.connector {
    const current = tls.files?.current() ?? {};
    if (connect && current === material) return connect;
    material = current;
    connect = build({
      ...current,
      timeout: timeoutMs,
      // A certificate for an IP address is compared with the address (RFC 6066 section 3 has no such name).
      ...(isIP(serverName) ? {} : { servername: serverName }),
      allowH2: false,
      maxCachedSessions: 0,
    });
    return connect;
  }

  // A name in the request's own headers is not the one that the operator has configured.
  return ({ servername: _, ...target }, callback) =>
    latest()(target, (error, socket) => {
      const fault = error && explainTlsFault(error, tls.subject);
      onResult(fault);
      if (!error) {
        callback(null, socket as NonNullable<typeof socket>);
        return;
      }
      callback(fault ?? error, null);
    });
}

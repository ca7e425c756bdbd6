import { constants } from 'node:crypto';
import type { ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import { type Server, TLSSocket } from 'node:tls';
import type { TlsFiles } from '../tls/index.ts';

/**
 * TLS of a listener whose callers prove by a certificate that they belong to the installation. The handshake also succeeds without one:
 * probes of an orchestrator have none. So the gate in front of the routes asks `whyUntrusted` for each request.
 */
export type MutualTls = ReturnType<typeof createMutualTls>;

/** Node's own limit is two minutes. The same as for the head of a request (`host.ts`). */
const handshakeTimeoutMs = 15_000;
/**
 * A resumed session would be trusted by what was verified before: a CA that was taken away since, or, with TLS 1.3, a caller without a
 * certificate, whom OpenSSL reports as verified then.
 */
const withoutSessions = constants.SSL_OP_NO_TICKET;

export function createMutualTls(files: TlsFiles) {
  const contextOf = ({ ca, cert, key }: ReturnType<TlsFiles['current']>) => ({
    ca,
    cert,
    key,
    secureOptions: withoutSessions,
  });
  /** Of a connection all requests have the same certificate. */
  const judged = new WeakMap<Socket, string | null>();
  return {
    /** For `https.createServer`. */
    serverOptions: {
      ...contextOf(files.current()),
      requestCert: true,
      rejectUnauthorized: false,
      handshakeTimeout: handshakeTimeoutMs,
    } satisfies ServerOptions,
    /** New connections use changed files from here on. Connections that are open keep theirs. */
    renewWith: (server: Server): void =>
      files.onChange((material) => server.setSecureContext(contextOf(material))),
    /** @returns null for a caller with a certificate of the CA; else Node's code of the fault, such as `CERT_HAS_EXPIRED` */
    whyUntrusted(socket: Socket): string | null {
      let why = judged.get(socket);
      if (why === undefined) {
        why = judge(socket);
        judged.set(socket, why);
      }
      return why;
    },
  };
}

function judge(socket: Socket): string | null {
  if (!(socket instanceof TLSSocket)) return 'no TLS';
  if (socket.isSessionReused() || !socket.getPeerX509Certificate()) return 'no certificate';
  return socket.authorized ? null : String(socket.authorizationError ?? 'not verified');
}

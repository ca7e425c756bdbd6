import { type ConnectionOptions, credsAuthenticator, nkeyAuthenticator } from '@nats-io/transport-node';
import { parseNatsUrls } from '../net/index.ts';
import type { TlsFiles, TlsMaterial, TlsSubject } from '../tls/index.ts';

/** How a process identifies itself and NATS, in addition to the URL. */
export interface NatsAccess {
  tls?: TlsFiles | null;
  /** The text of a credentials file. */
  credentials?: string | undefined;
  /** The seed of a user key. */
  nkey?: string | undefined;
}

/** With fewer servers a stream cannot be kept on several: NATS wants a majority of them. */
const copiesOfCluster = 3;

/**
 * The servers of `NATS_URL`, one after the other. Each connection gets one server alone, because the certificate of an address without a
 * name would be verified by another name otherwise.
 *
 * @param origin random, in hexadecimal digits
 * @throws TypeError where the text is not a list of URLs
 */
export function createNatsServers(url: string, origin: string, access: NatsAccess = {}) {
  const { tls = null, credentials, nkey } = access;
  const place = parseNatsUrls(url);
  if (typeof place === 'string') throw new TypeError(`the URL of NATS ${place}`);
  const { servers, isTls } = place;
  // One of three: a credentials file, a user key, or a user in the URL.
  const login: ConnectionOptions = credentials
    ? { authenticator: credsAuthenticator(encode(credentials)) }
    : nkey
      ? { authenticator: nkeyAuthenticator(encode(nkey)) }
      : readUser(place);
  let turn = Number.parseInt(origin.slice(0, 8), 16) || 0;
  return {
    count: servers.length,
    /** How many servers keep the stream. */
    copies: servers.length >= copiesOfCluster ? copiesOfCluster : 1,
    subject: {
      name: 'NATS',
      urlVariable: 'NATS_URL',
      variables: { ca: 'NATS_CA_FILE', cert: 'NATS_CERT_FILE', key: 'NATS_KEY_FILE' },
      settings: tls?.settings ?? {},
    } satisfies TlsSubject,
    /** The options for a connection to the next server in turn. */
    next(): ConnectionOptions {
      const server = servers[turn++ % servers.length] as string;
      return {
        servers: [server],
        ...login,
        ...(isTls ? { tls: withHost(server, tls?.current()) } : {}),
      };
    },
  };
}

const encode = (text: string) => new TextEncoder().encode(text);

function readUser({ user, password }: { user: string; password: string }): ConnectionOptions {
  if (user === '') return {};
  return password === '' ? { token: user } : { user, pass: password };
}

/** @returns the files, and the host by which Node verifies the certificate of an address without a name */
function withHost(server: string, material: TlsMaterial = {}): TlsMaterial {
  const { hostname } = new URL(`nats://${server}`);
  return { ...material, host: hostname.replace(/^\[|\]$/g, '') } as TlsMaterial;
}

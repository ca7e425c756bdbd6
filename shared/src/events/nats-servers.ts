import { type ConnectionOptions, credsAuthenticator, nkeyAuthenticator } from '@nats-io/transport-node';
import { asRenewable, createLogins, parseNatsUrls, type RenewableText } from '../net/index.ts';
import type { TlsFiles, TlsMaterial, TlsSubject } from '../tls/index.ts';

/** How a process identifies itself and NATS, beside what the URL says. */
export interface NatsAccess {
  tls?: TlsFiles | null;
  /** The text of a credentials file. */
  credentials?: string | RenewableText | undefined;
  /** The seed of a user key. */
  nkey?: string | RenewableText | undefined;
  /** Called when the URL has changed to other servers, which are not taken. */
  onOtherPlace?: (() => void) | undefined;
}

/** With fewer servers a stream cannot be kept on several: NATS wants a majority of them. */
const copiesOfCluster = 3;

interface NatsServers {
  readonly count: number;
  /** How many servers keep the stream. */
  readonly copies: number;
  readonly subject: TlsSubject;
  /** What a connection to the next server in turn needs. */
  next(): ConnectionOptions;
  /**
   * NATS refused the user of the last connection.
   *
   * @returns whether the next connection presents another one
   */
  refuseLogin(): boolean;
  /** NATS accepted it. */
  acceptLogin(): void;
}

/**
 * The servers of `NATS_URL`, one after the other. Each connection gets one server alone, because the certificate of an address without a
 * name would be verified by another name otherwise.
 *
 * @param origin random, in hexadecimal digits
 * @throws TypeError where the text is not a list of URLs
 */
export function createNatsServers(
  url: string | RenewableText,
  origin: string,
  access: NatsAccess = {},
): NatsServers {
  const { tls = null, credentials, nkey, onOtherPlace } = access;
  const source = asRenewable(url);
  const { servers, isTls } = readPlace(source.reveal());
  // One of three: a credentials file, a user key, or a user in the URL.
  const logins = credentials
    ? createLogins({ source: asRenewable(credentials), placeOf: () => '' })
    : nkey
      ? createLogins({ source: asRenewable(nkey), placeOf: () => '' })
      : createLogins({ source, onOtherPlace, placeOf: describePlace });
  let presented = '';
  const identify = (): ConnectionOptions => {
    presented = logins.current();
    if (credentials) return { authenticator: credsAuthenticator(encode(presented)) };
    return nkey ? { authenticator: nkeyAuthenticator(encode(presented)) } : readUser(presented);
  };
  let turn = Number.parseInt(origin.slice(0, 8), 16) || 0;
  return {
    count: servers.length,
    copies: servers.length >= copiesOfCluster ? copiesOfCluster : 1,
    subject: {
      name: 'NATS',
      urlVariable: 'NATS_URL',
      variables: { ca: 'NATS_CA_FILE', cert: 'NATS_CERT_FILE', key: 'NATS_KEY_FILE' },
      settings: tls?.settings ?? {},
    },
    next() {
      const server = servers[turn++ % servers.length] as string;
      return {
        servers: [server],
        ...identify(),
        ...(isTls ? { tls: withHost(server, tls?.current()) } : {}),
      };
    },
    refuseLogin: () => logins.refuse(presented),
    acceptLogin: () => logins.accept(presented),
  };
}

const encode = (text: string) => new TextEncoder().encode(text);

function readPlace(url: string) {
  const place = parseNatsUrls(url);
  if (typeof place === 'string') throw new TypeError(`the URL of NATS ${place}`);
  return place;
}

/** All but the user. */
function describePlace(url: string): string {
  const { servers, isTls } = readPlace(url);
  return JSON.stringify([servers, isTls]);
}

function readUser(url: string): ConnectionOptions {
  const { user, password } = readPlace(url);
  if (user === '') return {};
  return password === '' ? { token: user } : { user, pass: password };
}

/** @returns the files, and the host by which Node verifies the certificate of an address without a name */
function withHost(server: string, material: TlsMaterial = {}): TlsMaterial {
  const { hostname } = new URL(`nats://${server}`);
  return { ...material, host: hostname.replace(/^\[|\]$/g, '') } as TlsMaterial;
}

import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { hashCredential } from '@latchkey/shared/auth';
import type { SingleNodeValues } from '@latchkey/shared/config';
import { isTrustedPeer } from '@latchkey/shared/net';

type PersonValues = Partial<
  Pick<SingleNodeValues, 'trustProxy' | 'dashboardUserHeader' | 'dashboardUserSecret'>
>;

/** The header in which the proxy sends `DASHBOARD_USER_SECRET`. Its prefix keeps it from services. */
export const proxySecretHeader = 'x-latchkey-proxy-secret';

/** Longer than any mail address that a provider of sign-on gives out. */
const longestPerson = 200;

/**
 * Makes the function that takes the person out of a request, whom a proxy with sign-on has named (`DASHBOARD_USER_HEADER`). It removes
 * both headers, so nothing behind it sees a name that was not checked. A name without the right secret, or from another address than
 * the proxy's, is ignored: any client can send the header.
 *
 * @returns null where the setting is off
 */
export function createPersonTaker({
  trustProxy = { kind: 'none' },
  dashboardUserHeader: header,
  dashboardUserSecret,
}: PersonValues): ((request: IncomingMessage) => string | null) | null {
  if (header === undefined || dashboardUserSecret === undefined) return null;
  const expected = Buffer.from(hashCredential(dashboardUserSecret.reveal()));
  return (request) => {
    const { headers, headersDistinct, socket } = request;
    if (headers[header] === undefined) return null;
    // A proxy that adds its header, and does not replace the client's, sends two.
    const [name, ...others] = headersDistinct[header] ?? [];
    const presented = headers[proxySecretHeader];
    delete headers[header];
    delete headers[proxySecretHeader];
    if (name === undefined || others.length > 0 || typeof presented !== 'string') return null;
    const isProxy = isTrustedPeer(trustProxy, socket.remoteAddress);
    const isKnown = timingSafeEqual(Buffer.from(hashCredential(presented)), expected);
    return isProxy && isKnown ? readPerson(name) : null;
  };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @param value as Node reads it: one character for each byte. @returns null for a text that is no name */
function readPerson(value: string): string | null {
  if (value.length > 4 * longestPerson) return null;
  let person: string;
  try {
    person = utf8.decode(Buffer.from(value, 'latin1')).trim();
  } catch {
    return null;
  }
  return person === '' || person.length > longestPerson || /\p{Cc}/u.test(person) ? null : person;
}

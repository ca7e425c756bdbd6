import type { IncomingMessage } from 'node:http';
import {
  type ForeignPageReason,
  foreignPageReason,
  foreignPageReasons,
  isOwnName,
} from '@latchkey/shared/http';
import { foreignPageHeader, isDirectHeader } from '@latchkey/shared/internal';
import { isDirectFromLoopback } from '@latchkey/shared/net';
import type { SetupOrigin } from './auth-route-options.ts';

/** Where a call of setup comes from, in the process that clients connect to. @param publicUrl `PUBLIC_URL`, null if it is not set */
export function seeSetupOrigin({ socket, headers }: IncomingMessage, publicUrl: string | null): SetupOrigin {
  return {
    isDirect: isDirectFromLoopback(socket.remoteAddress, headers) && isOwnName(headers.host, publicUrl),
    foreignPage: foreignPageReason(headers, publicUrl),
  };
}

/** The same from the internal headers of the gateway: a service behind it sees neither the client nor `Host`. */
export function readSetupOrigin({ headers }: IncomingMessage): SetupOrigin {
  const told = String(headers[foreignPageHeader] ?? '');
  // A gateway of a later release may have a reason that this process does not know.
  const reason = Object.hasOwn(foreignPageReasons, told) ? (told as ForeignPageReason) : 'origin';
  return {
    isDirect: headers[isDirectHeader] === '1',
    foreignPage: told === '' ? null : reason,
  };
}

import { type Principal, viewerIdOf } from '@latchkey/shared/contracts';
import { validationFailure } from '@latchkey/shared/http';

/** Fits an index of Postgres, whose entries hold some 2,700 bytes (nbtree, BTMaxItemSize). */
const maxViewerIdOctets = 1_024;

/** @throws AppError VALIDATION_FAILED for an id that is longer than a token's `sub` may be */
export function readViewerId(text: string): string {
  if (Buffer.byteLength(text) <= maxViewerIdOctets) return text;
  throw validationFailure('/viewerId', `must not have more than ${maxViewerIdOctets} octets`);
}

/**
 * The viewer of a lease: the caller if it is a viewer, else the one that an API key names.
 *
 * @throws AppError VALIDATION_FAILED if a viewer names one, or an API key names none
 */
export function leaseholderOf(principal: Principal, named: string | undefined): string {
  const self = viewerIdOf(principal);
  if (self === null) {
    if (named === undefined) throw validationFailure('/viewerId', 'is missing: an API key names the viewer');
    return readViewerId(named);
  }
  if (named !== undefined) throw validationFailure('/viewerId', 'comes from the token, and is not sent');
  return self;
}

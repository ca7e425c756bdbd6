import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { toActor } from '../contracts/index.ts';
import { validationFailure } from '../http/index.ts';
import { Type } from '../schema/type.ts';

/** VCHAR of RFC 5234, appendix B.1. */
const form = /^[\x21-\x7e]{8,128}$/;

/** The request header of routes that answer once for a key, for the OpenAPI document. */
export const idempotencyKeyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      description:
        '8 to 128 visible ASCII characters, such as a UUID. A repeat within 24 h gets the first answer again, without its secrets, and acts no more.',
    }),
  ),
});

/** A request with an `Idempotency-Key`. */
export interface KeyedRequest {
  /** SHA-256 of the credential's id, the route and the key, 64 hex digits. No row and no lock has the key itself. */
  id: string;
  /** SHA-256 of the body, 64 hex digits. */
  bodyHash: string;
}

/**
 * Reads the key of a request whose caller and body are known.
 *
 * @returns null without the header
 * @throws AppError VALIDATION_FAILED for a key of another form
 */
export function readKeyedRequest(request: FastifyRequest): KeyedRequest | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  // Node joins several headers of this name by a comma and a space, which no key has.
  if (typeof key !== 'string' || !form.test(key))
    throw validationFailure(
      '/Idempotency-Key',
      'must have 8 to 128 visible ASCII characters and no space, such as a UUID',
    );
  // By its id: a viewer's next token, and a renamed API key, are the same credential.
  const { kind, id } = toActor(request.principal);
  return {
    id: hash('sha256', JSON.stringify([kind, id, request.routeOptions.url, key]), 'hex'),
    bodyHash: hash('sha256', canonicalJson(request.body), 'hex'),
  };
}

/** JSON with sorted names, because some clients write the members of a repeat in another order. The body has been validated: it is shallow. */
function canonicalJson(body: unknown): string {
  const sorted = (_name: string, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return JSON.stringify(body, sorted);
}

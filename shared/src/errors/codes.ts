/** Every answer that is not a success: its status and its title. The code goes on the wire; a test compares it with the document. */
export const codes = {
  VALIDATION_FAILED: { status: 400, title: 'The request is not valid' },
  UNAUTHENTICATED: { status: 401, title: 'A credential is needed' },
  INVALID_TOKEN: { status: 401, title: 'The token is not accepted' },
  INVALID_API_KEY: { status: 401, title: 'The API key is not accepted' },
  INSUFFICIENT_SCOPE: { status: 403, title: 'The credential does not reach this far' },
  LEASE_REQUIRED: { status: 403, title: 'A lease is needed' },
  LEASE_UNKNOWN: { status: 403, title: 'No such lease of this viewer for this content' },
  LEASE_EXPIRED: { status: 403, title: 'The lease has expired' },
  LEASE_REVOKED: { status: 403, title: 'The lease was revoked' },
  TOKEN_REVOKED: { status: 403, title: 'The token was issued before a revocation' },
  CONTENT_NOT_ENTITLED: { status: 403, title: 'The token does not open this content' },
  NOT_FOUND: { status: 404, title: 'There is nothing here' },
  CONTENT_NOT_FOUND: { status: 404, title: 'No such content' },
  API_KEY_NOT_FOUND: { status: 404, title: 'No such API key' },
  LEASE_NOT_FOUND: { status: 404, title: 'No such lease' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'This path does not take that method' },
  SETUP_ALREADY_DONE: { status: 409, title: 'Setup is already done' },
  LEASE_LIMIT_REACHED: { status: 409, title: 'The viewer has no lease left' },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'The body is too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'The body has to be JSON' },
  RATE_LIMITED: { status: 429, title: 'Too many requests' },
  HEADERS_TOO_LARGE: { status: 431, title: 'The headers are too large' },
  INTERNAL: { status: 500, title: 'Something went wrong' },
  DEPENDENCY_UNAVAILABLE: { status: 503, title: 'It cannot be checked at the moment' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof codes;

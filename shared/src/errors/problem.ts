import { type TSchema, Type } from 'typebox';
import type { AppError } from './app-error.ts';
import { codes, type ErrorCode } from './codes.ts';

/** RFC 9457 section 3.1, with `code` and `requestId` as extension members (section 3.2). */
export interface Problem extends Record<string, unknown> {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  requestId: string;
}

const ProblemSchema = Type.Object(
  {
    type: Type.String({ pattern: '^urn:latchkey:error:[A-Z_]+$' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.String(),
    requestId: Type.String(),
    errors: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }))),
    scope: Type.Optional(Type.String()),
    leases: Type.Optional(Type.Array(Type.Unknown())),
  },
  { additionalProperties: true, description: 'RFC 9457 problem details' },
);

/** The body of an error answer. */
export function toProblem(error: AppError, requestId: string): Problem {
  const { status, title } = codes[error.code];
  // A fault that belongs to no member has the empty path, which means the whole request (RFC 6901).
  const whole = { errors: [{ path: '', message: error.detail ?? `${title}.` }] };
  return {
    type: `urn:latchkey:error:${error.code}`,
    title,
    status,
    detail: error.detail ?? `${title}.`,
    code: error.code,
    requestId,
    ...(error.code === 'VALIDATION_FAILED' ? whole : {}),
    ...error.members,
  };
}

/** A response with its media type, in the form that Fastify needs. */
interface ProblemAnswer {
  description: string;
  content: { 'application/problem+json': { schema: TSchema } };
}

/** Response schemas of a route's error answers, for validation and for the OpenAPI document. */
export function problems(...names: ErrorCode[]): Record<number, ProblemAnswer> {
  const answers: Record<number, ProblemAnswer> = {};
  // On any route a dependency can be missing, a fault can occur or a rate limit can be reached.
  const always: ErrorCode[] = ['INTERNAL', 'DEPENDENCY_UNAVAILABLE', 'RATE_LIMITED'];
  const byStatus = Map.groupBy([...names, ...always], (name) => codes[name].status);
  for (const [status, group] of byStatus) {
    const content = { 'application/problem+json': { schema: ProblemSchema } };
    answers[status] = { description: group.join(', '), content };
  }
  return answers;
}

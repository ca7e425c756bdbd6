import type { FastifyRequest } from 'fastify';

/** Treats a missing body as an empty object, on routes whose members are all optional. Use it as `preValidation`. */
export async function readEmptyBody(request: FastifyRequest): Promise<void> {
  if (request.body === undefined) request.body = {};
}

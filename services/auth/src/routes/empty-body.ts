import type { FastifyRequest } from 'fastify';

/** Takes no body for an empty object, on routes whose members are all optional. To be used as `preValidation`. */
export async function readEmptyBody(request: FastifyRequest): Promise<void> {
  if (request.body === undefined) request.body = {};
}

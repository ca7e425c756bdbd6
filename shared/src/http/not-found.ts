import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors/index.ts';
import type { App } from './routes.ts';

interface KnownPath {
  pattern: RegExp;
  /** A path with fewer parameters is the better match: `/keys/leases` before `/keys/:contentId`. */
  parameters: number;
  methods: Set<string>;
}

/** Tells a path that does not exist (404) from a method that it does not take (405, RFC 9110 section 15.5.6). */
export function createNotFoundHandler(app: App): (request: FastifyRequest, reply: FastifyReply) => never {
  const paths = new Map<string, KnownPath>();
  app.addHook('onRoute', ({ url, method, config }) => {
    const known = paths.get(url) ?? {
      pattern: new RegExp(`^${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[A-Za-z]+/g, '[^/]+')}$`),
      parameters: url.match(/:/g)?.length ?? 0,
      methods: new Set<string>(),
    };
    paths.set(url, known);
    if (config?.reserved) return;
    for (const name of [method].flat()) known.methods.add(name);
  });

  return (request, reply) => {
    const [path = ''] = request.url.split('?', 1);
    const [best] = [...paths.values()]
      .filter(({ pattern, methods }) => pattern.test(path) && methods.size > 0)
      .sort((a, b) => a.parameters - b.parameters);
    if (!best || best.methods.has(request.method))
      throw new AppError('NOT_FOUND', { detail: 'Nothing is at this path.' });
    const allowed = [...best.methods].sort().join(', ');
    reply.header('allow', allowed);
    throw new AppError('METHOD_NOT_ALLOWED', { detail: `This path takes ${allowed}.` });
  };
}

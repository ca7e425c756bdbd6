import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors/errors.ts';
import type { App } from './routes.ts';

interface KnownPath {
  pattern: RegExp;
  /** A path with fewer parameters is the better match: `/keys/leases` before `/keys/:contentId`. */
  parameters: number;
  methods: Set<string>;
}

/** Distinguishes a path that does not exist (404) from a method that the path does not take (405, RFC 9110 section 15.5.6). */
export function addNotFound(app: App): void {
  const refuse = createRefusal(app);
  // Runs before the body is read, and after the hooks that set headers or demand a credential. No handler reads the body,
  // so its type, length and content do not matter.
  app.addHook('preParsing', (request, reply, _payload, done) =>
    request.is404 ? done(refuse(request, reply)) : done(),
  );
  // For routes that only discover later that the resource does not exist.
  app.setNotFoundHandler((request, reply) => {
    throw refuse(request, reply);
  });
}

function createRefusal(app: App): (request: FastifyRequest, reply: FastifyReply) => AppError {
  const paths = new Map<string, KnownPath>();
  app.addHook('onRoute', ({ url, method, config }) => {
    // The route for preflights takes any path, so it makes no path known.
    if (url === '*') return;
    const known = paths.get(url) ?? {
      pattern: toPattern(url),
      parameters: url.match(/[:*]/g)?.length ?? 0,
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
      return new AppError('NOT_FOUND', { detail: 'Nothing is at this path.' });
    const allowed = [...best.methods].sort().join(', ');
    reply.header('allow', allowed);
    return new AppError('METHOD_NOT_ALLOWED', { detail: `This path takes ${allowed}.` });
  };
}

/** @param url of a route, with `:parameters` and perhaps a `*` at its end */
function toPattern(url: string): RegExp {
  const literal = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replace(/:[A-Za-z]+/g, '[^/]+').replace('*', '.*')}$`);
}

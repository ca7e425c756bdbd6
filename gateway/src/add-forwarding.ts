import type { App } from '@latchkey/shared/http';
import type { Upstream } from '@latchkey/shared/upstream';
import { forward } from './forward.ts';
import { routeTable, type ServiceName } from './route-table.ts';

export interface ForwardingOptions {
  upstreams: Readonly<Record<ServiceName, Upstream>>;
  secret: string;
  onFault: (service: ServiceName, error: unknown) => void;
}

/** Forwards every path of the route table. `/internal` is on none of them, so no client reaches it. */
export async function addForwarding(
  app: App,
  { upstreams, secret, onFault }: ForwardingOptions,
): Promise<void> {
  await app.register(async (scope) => {
    // Bodies pass as they are: the service reads them. They are small, so they are held whole, and the limit holds here.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    for (const { path, service } of routeTable) {
      const options = {
        upstream: upstreams[service],
        secret,
        onFault: (error: unknown) => onFault(service, error),
      };
      for (const url of [path, `${path}/*`]) {
        scope.route({
          method: scope.supportedMethods,
          url,
          exposeHeadRoute: false,
          config: { access: 'open' },
          schema: { hide: true },
          handler: (request, reply) => forward(request, reply, options),
        });
      }
    }
  });
}

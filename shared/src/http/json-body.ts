import type { App } from './routes.ts';

/**
 * JSON and nothing else. No body at all is fine even where JSON was announced: clients that set the type on every
 * request send DELETE so. What a route needs, its schema demands.
 */
export function acceptJsonBodies(app: App): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    return parse(request, body as string, (error, value) => {
      if (!error) return done(null, value);
      return done(
        Object.assign(error, {
          validation: [{ instancePath: '', message: 'must be JSON' }],
          validationContext: 'body',
        }),
      );
    });
  });
}

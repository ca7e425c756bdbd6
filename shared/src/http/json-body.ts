import { AppError } from '../errors/errors.ts';
import type { App } from './routes.ts';
import { validationFailure } from './validation.ts';

/** Refuses bytes that are not UTF-8, which would otherwise be stored as U+FFFD. The JSON parser handles a byte order mark. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Accepts JSON only. An empty body is accepted even where the type is JSON: clients that set the type on every request
 * also set it on DELETE. The route's schema demands the members that the route needs.
 */
export function acceptJsonBodies(app: App): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    if (!isUtf8(request.headers['content-type'])) {
      return done(new AppError('UNSUPPORTED_MEDIA_TYPE', { detail: 'Send JSON in UTF-8.' }));
    }
    let text: string;
    try {
      text = decoder.decode(body as Buffer);
    } catch {
      return done(validationFailure('', 'must be UTF-8'));
    }
    return parse(request, text, (error, value) => {
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

/** JSON is UTF-8 (RFC 8259 section 8.1). Many clients write `utf8`. */
function isUtf8(contentType = ''): boolean {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(contentType) ?? [];
  return /^utf-?8$/i.test(charset);
}

import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';
import { AppError } from '../errors/errors.ts';
import { holdsCredential, redactName } from '../log/index.ts';
import { type TSchema, Type } from '../schema/type.ts';
import { validateOnUse } from './compile-on-use.ts';
import type { App } from './routes.ts';

// A discriminator makes the faults of one form alone be named.
const options = {
  removeAdditional: false,
  useDefaults: true,
  allErrors: true,
  strict: false,
  discriminator: true,
  // They are this project's own, and `/openapi.json` shows them. To check them takes 20 ms of the first request.
  validateSchema: false,
} as const;
// Nothing is coerced. A query has only texts, so `createQueryReader` converts the texts that are written as numbers.
const exact = addFormats.default(new Ajv({ ...options, coerceTypes: false }));
/** As long as the longest list that a route takes. One of 64 KiB could have 30,000, and an answer of some megabytes. */
const mostFaults = 1_000;
const credentialKeyword = 'x-not-a-credential';
exact.addKeyword({
  keyword: credentialKeyword,
  type: 'string',
  validate: (_: true, id: string) => !holdsCredential(id),
  error: { message: 'must not be a credential: give the id, not the key or the token' },
});

export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  // Headers are described for the document only. The code that reads a header decides what is valid.
  if (httpPart === 'headers') return () => true;
  const findFaults = validateOnUse(() => exact.compile(schema));
  const answerFor = (faults: ErrorObject[]) =>
    faults.length === 0 ? true : { error: faults.slice(0, mostFaults) };
  if (httpPart !== 'querystring') return (value: unknown) => answerFor(findFaults(value));
  const readQuery = createQueryReader(schema);
  return (query: Record<string, unknown>) => {
    readQuery(query);
    return answerFor([...findFaults(query), ...refuseNul(query)]);
  };
};

/** No stored text has a NUL: Postgres cannot store one, and refuses a statement that contains one. */
function refuseNul(query: Record<string, unknown>): ErrorObject[] {
  return Object.entries(query)
    .filter(([, value]) => typeof value === 'string' && value.includes('\0'))
    .map(([name]) => ({
      instancePath: `/${name}`,
      schemaPath: '',
      keyword: 'nul',
      params: {},
      message: 'must not have a NUL character',
    }));
}

/** The `errors` member of a 400: where, and what is wrong. */
export function validationErrors(
  errors: readonly Partial<ErrorObject>[],
): { path: string; message: string }[] {
  // The schema of a member names its fault more plainly than the discriminator does.
  const credentials = errors.filter(({ keyword }) => keyword === credentialKeyword);
  const named = errors.filter(
    ({ keyword, instancePath }) =>
      keyword !== 'discriminator' &&
      // That it is a credential also explains why it has the wrong form or length.
      (keyword === credentialKeyword || !credentials.some((each) => each.instancePath === instancePath)),
  );
  return named.map(({ instancePath = '', message = 'is not valid', params, keyword }) => {
    const { additionalProperty, missingProperty, allowedValues } = (params ?? {}) as Record<string, unknown>;
    if (keyword === 'additionalProperties')
      return { path: `${instancePath}/${redactName(`${additionalProperty}`)}`, message: 'is not known here' };
    if (keyword === 'required') return { path: `${instancePath}/${missingProperty}`, message: 'is missing' };
    if (keyword === 'enum')
      return { path: instancePath, message: `must be one of ${(allowedValues as unknown[]).join(', ')}` };
    return { path: instancePath, message };
  });
}

/** A 400 for a rule that a schema cannot express. */
export function validationFailure(path: string, message: string): AppError {
  return new AppError('VALIDATION_FAILED', {
    detail: `${path.replace(/^\//, '') || 'The request'} ${message}.`,
    members: { errors: [{ path, message }] },
  });
}

/** A name before it is trimmed; `readName` checks the other rules. */
export const NameSchema = Type.String({
  description: 'Trimmed; then 1 to 200 characters, none of them a control character.',
});
const maxNameLength = 200;

/**
 * The name as it is stored. A credential in it is hidden, because lists and events show names.
 *
 * @throws AppError VALIDATION_FAILED
 */
export function readName(text: string, path = '/name'): string {
  const name = text.trim();
  // Counted as a reader counts: an emoji is one character, not two.
  const { length } = [...name];
  if (length < 1 || length > maxNameLength)
    throw validationFailure(path, `must have 1 to ${maxNameLength} characters`);
  if (/\p{Cc}/u.test(name)) throw validationFailure(path, 'must not have control characters');
  if (!name.isWellFormed()) throw validationFailure(path, 'must be valid Unicode');
  return redactName(name);
}

/** ISO 8601: a date (midnight UTC), or a date and time with an offset from UTC. */
const instantPattern = /^(\d{4})-(\d{2})-(\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/**
 * @returns milliseconds since 1970
 * @throws AppError VALIDATION_FAILED
 */
export function readInstant(text: string, path: string): number {
  const [, year, month, day] = instantPattern.exec(text) ?? [];
  const at = Date.parse(text);
  // Date.parse accepts February 31.
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (!year || !Number.isFinite(at) || Number(day) > days) {
    throw validationFailure(path, 'must be an ISO 8601 time with its offset, such as 2027-01-31T12:00:00Z');
  }
  return at;
}

/** A time as the API shows it: ISO 8601, UTC, milliseconds. */
export function instantOf(at: number): string;
export function instantOf(at: number | null): string | null;
export function instantOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** Reads an integer or a truth value from the text of a query, by the type that the schema demands. */
const readers: Record<string, (text: string) => unknown> = {
  // One spelling for each, as in paths: no `0x10`, `1e1`, `+5`, ` 5`, `05` or `-0`.
  integer: (text) => (/^(0|-?[1-9]\d*)$/.test(text) ? Number(text) : text),
  boolean: (text) => (text === 'true' || text === 'false' ? text === 'true' : text),
};

/**
 * Makes a function that converts the texts of a query into integers and truth values where the schema demands them. A text
 * in another form stays a text, and the schema refuses it.
 */
export function createQueryReader(schema: TSchema): (query: Record<string, unknown>) => void {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
  const typed = Object.entries(properties).flatMap(([name, { type = '' }]) => {
    const read = readers[type];
    return read ? [{ name, read }] : [];
  });
  return (query) => {
    for (const { name, read } of typed) {
      const value = query[name];
      if (typeof value === 'string') query[name] = read(value);
    }
  };
}

/** Refuses bytes that are not UTF-8, which would otherwise be stored as U+FFFD. The JSON parser handles a byte order mark. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Accepts JSON only. An empty body is accepted even where the type is JSON: clients that set the type on every request
 * also set it on DELETE. The route's schema demands the members that the route needs.
 *
 * @param type `*` takes JSON whatever the request calls it, and also if it names no type
 */
export function acceptJsonBodies(app: App, type: 'application/json' | '*' = 'application/json'): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser(type, { parseAs: 'buffer' }, (request, body, done) => {
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

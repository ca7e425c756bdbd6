import { z } from 'zod';
import { Secret } from './secret.ts';

/** How the text of a variable is written: what `--help` and faults show of a schema. */
export interface Form {
  /** The accepted forms, in plain words. */
  readonly forms: string;
  /** The text is never shown, not even when it is wrong, and the value is a `Secret`. */
  readonly isSecret?: boolean;
  /** A file that is empty or missing counts as unset: for a list that is empty most of the time. */
  readonly mayBeEmpty?: boolean;
}

/** A schema of the text of one variable. It has a `Form` as its metadata. */
type TextSchema<T = unknown> = z.ZodType<T, string>;

/** The form of a schema, also below `default` and `optional`. */
export function formOf(schema: z.ZodType): Form {
  const { innerType } = schema.def as { innerType?: z.ZodType };
  const meta = schema.meta();
  if (typeof meta?.forms === 'string') return meta as unknown as Form;
  if (!innerType) throw new Error('a schema of a variable lacks its accepted forms: meta({ forms })');
  return formOf(innerType);
}

/**
 * Text that is kept as it was written.
 *
 * @param whyNot what is wrong with a text, to complete "X is …, which …". It never quotes the text: a fault shows it, unless it may be secret
 */
export function textUnless(forms: string, whyNot: (text: string) => string | undefined) {
  const schema = z.string().superRefine((text, context) => {
    const wrong = whyNot(text);
    if (wrong) context.addIssue(wrong);
  });
  return schema.meta({ forms });
}

/** A whole number in plain decimal digits, both bounds included. `05`, `1.5`, `1e3` and ` 5` are refused. */
export const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^(0|[1-9][0-9]*)$/, 'is not a whole number in plain decimal digits')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `is not between ${min} and ${max}`)
    .meta({ forms: `a whole number from ${min} to ${max}, in decimal digits` });

/** `true` or `false` only: a `yes` that counts as false would be noticed too late. */
export const boolean = z
  .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' })
  .meta({ forms: '`true` or `false`' });

/** Any text on one line. */
export const text = textUnless('text on one line', (value) =>
  /\p{Cc}/u.test(value) ? 'contains a control character' : undefined,
);

/** The path of a PEM file, of which the text is read later. */
export const pemFile = (about: string) =>
  text.meta({ forms: 'the path of a PEM file' }).optional().describe(about);

/** One of a few words. */
export const oneOf = <const T extends readonly string[]>(...words: T) =>
  z.enum(words).meta({ forms: `one of ${words.map((word) => `\`${word}\``).join(', ')}` });

/** Comma-separated items. White space around an item and repeated items are ignored. */
export const list = <T>(item: TextSchema<T>) =>
  z
    .string()
    .transform((value) => value.split(',').map((part) => part.trim()))
    .pipe(z.array(item))
    .transform((items): readonly T[] => [...new Set(items)])
    .meta({ forms: `a comma-separated list, each item ${formOf(item).forms}` });

/** Hides what `schema` reads: faults do not quote it, and the value is a `Secret`. */
export const secret = <T>(schema: TextSchema<T>) =>
  schema.transform((value) => new Secret(value)).meta({ ...formOf(schema), isSecret: true });

/**
 * Secrets that are accepted in addition to the present one: none by default. Several spaces, commas and lines between them count as one, so a file
 * may have one secret in each line.
 */
export const furtherSecrets = <T>(item: TextSchema<T>) =>
  secret(
    z
      .string()
      // Split at its commas, it would be read as secrets with brackets and quotation marks, which nobody presents.
      .refine((value) => !isJsonList(value), 'is a list in JSON')
      .transform((value) => value.split(/[\s,]+/).filter((part) => part !== ''))
      .pipe(z.array(item) as z.ZodType<readonly T[], string[]>)
      .meta({
        forms: `one or several, with commas or white space between them, each ${formOf(item).forms}`,
        mayBeEmpty: true,
      }),
  ).default(() => new Secret<readonly T[]>([]));

function isJsonList(value: string): boolean {
  try {
    return Array.isArray(JSON.parse(value));
  } catch {
    return false;
  }
}

/** 64 hex digits, either case: the 32 bytes of a master key or a salt. */
export const hexKey = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, 'is not exactly 64 hexadecimal digits')
  .transform((value): Buffer => Buffer.from(value, 'hex'))
  .meta({ forms: '64 hexadecimal digits (32 bytes)' });

/** HS256 wants a key at least as long as its hash: 256 bits (RFC 7518 section 3.2). */
const minimumSecretBytes = 32;

/** A shared secret for HS256: its UTF-8 bytes as written, or the bytes that `base64:…` encodes. */
export const secretBytes = z
  .string()
  .transform((value, context): Buffer => {
    const [, encoded] = /^base64:(.*)$/s.exec(value) ?? [];
    const bytes = encoded === undefined ? Buffer.from(value, 'utf8') : Buffer.from(encoded, 'base64');
    // Node's decoder skips characters that are not base64. Only a text that encodes back unchanged was valid base64.
    if (encoded !== undefined && bytes.toString('base64') !== encoded)
      context.addIssue('is not valid base64 after `base64:`');
    else if (bytes.length < minimumSecretBytes)
      context.addIssue(`has ${bytes.length} bytes, fewer than ${minimumSecretBytes}`);
    return bytes;
  })
  .meta({ forms: `at least ${minimumSecretBytes} bytes, as text or as \`base64:\` and padded base64` });

/**
 * A credential that is sent as `Authorization: Bearer …`. Visible ASCII only, because a header carries nothing else. A JWT's shape is refused,
 * because the value would be taken for a token.
 */
export const bearerCredential = textUnless(
  'visible ASCII characters without white space, best 32 or more of them, not in the shape of a JWT',
  (value) => {
    if (!/^[\x21-\x7e]+$/.test(value))
      return 'contains white space, a control character or a character outside ASCII';
    return value.startsWith('ey') && value.split('.').length === 3 ? 'looks like a JWT' : undefined;
  },
);

import type { Parser } from './parsers.ts';

/** HS256 wants a key at least as long as its hash: 256 bits (RFC 7518 section 3.2). */
const minimumSecretBytes = 32;
/** Shorter credentials can be guessed. 32 characters hold 128 bits even in hexadecimal. */
const soundCredentialCharacters = 32;

/** 64 hex digits, either case: the 32 bytes of a master key or a salt. */
export const hexKey: Parser<Buffer> = {
  forms: '64 hexadecimal digits (32 bytes)',
  parse: (value) =>
    /^[0-9a-fA-F]{64}$/.test(value)
      ? { value: Buffer.from(value, 'hex') }
      : { wrong: 'is not exactly 64 hexadecimal digits' },
};

/** A shared secret for HS256: its UTF-8 bytes as written, or the bytes that `base64:…` stands for. */
export const secretBytes: Parser<Buffer> = {
  forms: `at least ${minimumSecretBytes} bytes, as text or as \`base64:\` and padded base64`,
  parse(value) {
    const encoded = value.startsWith('base64:') ? value.slice('base64:'.length) : undefined;
    const bytes = encoded === undefined ? Buffer.from(value, 'utf8') : Buffer.from(encoded, 'base64');
    // Node's decoder skips characters that are not base64. Only a text that encodes back unchanged was valid base64.
    if (encoded !== undefined && bytes.toString('base64') !== encoded) {
      return { wrong: 'is not valid base64 after `base64:`' };
    }
    if (bytes.length < minimumSecretBytes) {
      return { wrong: `has ${bytes.length} bytes, fewer than ${minimumSecretBytes}` };
    }
    return { value: bytes };
  },
};

/**
 * A credential that is sent as `Authorization: Bearer …`. Visible ASCII only, because a header carries nothing else. A
 * JWT's shape is refused, because the value would be taken for a token.
 */
export const bearerCredential: Parser<string> = {
  forms: 'visible ASCII characters without white space, best 32 or more of them, not in the shape of a JWT',
  parse(value) {
    if (!/^[\x21-\x7e]+$/.test(value)) {
      return { wrong: 'contains white space, a control character or a character outside ASCII' };
    }
    if (value.startsWith('ey') && value.split('.').length === 3) return { wrong: 'looks like a JWT' };
    if (value.length >= soundCredentialCharacters) return { value };
    const warning = `has ${value.length} characters: take ${soundCredentialCharacters} or more, at random`;
    return { value, warning };
  },
};

/**
 * Several secrets in one variable. Several spaces, commas and lines between them count as one, so a file may have one secret in each line.
 */
export function several<T>(item: Parser<T>): Parser<readonly T[]> {
  return {
    forms: `one or several, with commas or white space between them, each ${item.forms}`,
    parse(value) {
      if (isJsonList(value)) return { wrong: 'is a list in JSON' };
      const items: T[] = [];
      const warnings = new Set<string>();
      for (const part of value.split(/[\s,]+/).filter((each) => each !== '')) {
        const parsed = item.parse(part);
        if ('wrong' in parsed) return { wrong: `has an item that ${parsed.wrong}` };
        if (parsed.warning) warnings.add(`has an item that ${parsed.warning}`);
        items.push(parsed.value);
      }
      return { value: items, ...(warnings.size > 0 ? { warning: [...warnings].join('; ') } : {}) };
    },
  };
}

/** Split at its commas, it would be read as secrets with brackets and quotation marks, which nobody presents. */
function isJsonList(value: string): boolean {
  try {
    return Array.isArray(JSON.parse(value));
  } catch {
    return false;
  }
}

import { Secret } from './secret.ts';

/**
 * The result of parsing a text: a value, perhaps with a warning for the operator, or what is wrong with the text. `wrong`
 * completes "X is …, which …" and never quotes the text: the reader decides whether the text may be shown.
 */
type Parsed<T> = { value: T; warning?: string } | { wrong: string };

/** How one kind of value is written in the environment. */
export interface Parser<T> {
  /** The accepted forms, in plain words: shown in every fault and in `--help`. */
  readonly forms: string;
  /** True where the text must never be shown, not even when it is wrong. */
  readonly secret?: boolean;
  /** @param text not empty: an empty variable counts as unset */
  parse(text: string): Parsed<T>;
}

type SecretParser<T> = Parser<Secret<T>> & { readonly secret: true };

/** A whole number in plain decimal digits, both bounds included. `05`, `1.5`, `1e3` and ` 5` are refused. */
export function integer(min: number, max: number): Parser<number> {
  return {
    forms: `a whole number from ${min} to ${max}, in decimal digits`,
    parse(text) {
      if (!/^(0|[1-9][0-9]*)$/.test(text)) return { wrong: 'is not a whole number in plain decimal digits' };
      const value = Number(text);
      if (value < min || value > max) return { wrong: `is not between ${min} and ${max}` };
      return { value };
    },
  };
}

/** `true` or `false` only: a `yes` that counts as false would be noticed too late. */
export const boolean: Parser<boolean> = {
  forms: '`true` or `false`',
  parse: (text) =>
    text === 'true' || text === 'false'
      ? { value: text === 'true' }
      : { wrong: 'is neither `true` nor `false`' },
};

/** Any text on one line. */
export const text: Parser<string> = {
  forms: 'text on one line',
  parse: (value) => (/\p{Cc}/u.test(value) ? { wrong: 'contains a control character' } : { value }),
};

/** One of a few words. */
export function oneOf<const T extends string>(...words: readonly T[]): Parser<T> {
  const forms = words.map((word) => `\`${word}\``).join(', ');
  return {
    forms: `one of ${forms}`,
    parse(value) {
      const found = words.find((word) => word === value);
      return found === undefined ? { wrong: 'is not one of the known words' } : { value: found };
    },
  };
}

/** Comma-separated items, each read by `item`. White space around an item and repeated items are ignored. */
export function list<T>(item: Parser<T>): Parser<readonly T[]> {
  return {
    forms: `a comma-separated list, each item ${item.forms}`,
    parse(value) {
      const items: T[] = [];
      for (const part of value.split(',')) {
        if (part.trim() === '') return { wrong: 'has an empty item' };
        const parsed: Parsed<T> = item.parse(part.trim());
        if ('wrong' in parsed) return { wrong: `has an item that ${parsed.wrong}` };
        if (!items.includes(parsed.value)) items.push(parsed.value);
      }
      return { value: items };
    },
  };
}

/** Marks what `parser` reads as a secret: faults do not quote it, and the value is wrapped in a `Secret`. */
export function secret<T>(parser: Parser<T>): SecretParser<T> {
  return {
    forms: parser.forms,
    secret: true,
    parse(value) {
      const parsed = parser.parse(value);
      return 'wrong' in parsed ? parsed : { ...parsed, value: new Secret(parsed.value) };
    },
  };
}

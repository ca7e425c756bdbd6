import type { Secret } from './secret.ts';

/**
 * The result of parsing a text: a value, perhaps with a warning for the operator, or what is wrong with the text. `wrong`
 * completes "X is …, which …" and never quotes the text: the reader decides whether the text may be shown.
 */
export type Parsed<T> = { value: T; warning?: string } | { wrong: string };

/** How one kind of value is written in the environment. */
export interface Parser<T> {
  /** The accepted forms, in plain words: shown in every fault and in `--help`. */
  readonly forms: string;
  /** True where the text must never be shown, not even when it is wrong. */
  readonly secret?: boolean;
  /** @param text not empty: an empty variable counts as unset */
  parse(text: string): Parsed<T>;
}

export type SecretParser<T> = Parser<Secret<T>> & { readonly secret: true };

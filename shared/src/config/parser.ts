import type { Secret } from './secret.ts';

/**
 * What a parser made of a text: a value, perhaps with something that the operator should hear, or what is wrong with
 * it. `wrong` completes "X is …, which …" and never quotes the text: the reader decides whether that may be shown.
 */
export type Parsed<T> = { value: T; warning?: string } | { wrong: string };

/** How one kind of value is written in the environment. */
export interface Parser<T> {
  /** The accepted forms, in plain words: shown in every fault and in `--help`. */
  readonly forms: string;
  /** True where the text may never be shown, not even when it is wrong. */
  readonly secret?: boolean;
  /** @param text not empty: an empty variable counts as unset */
  parse(text: string): Parsed<T>;
}

export type SecretParser<T> = Parser<Secret<T>> & { readonly secret: true };

import { inspect } from 'node:util';
import type { Renewable } from '../seal/accepted-secrets.ts';

const shown = '[secret]';

/** Holds a value that must not appear in a log line, error, inspection or JSON. Only `reveal` returns it. */
export class Secret<T> implements Renewable<T> {
  #value: T;
  #readAgain: () => T | undefined = () => undefined;

  constructor(value: T) {
    this.#value = value;
  }

  /** The value itself, for the code that uses it. */
  reveal(): T {
    return this.#value;
  }

  /**
   * What the file of the variable holds at this moment. It reads the file: call it where the value in use was refused. Without a file, and
   * where the file cannot be used, the result is the value in use.
   */
  newest(): T {
    return this.#readAgain() ?? this.reveal();
  }

  /** @param readAgain reads the value from its file; undefined where the file cannot be used */
  follow(readAgain: () => T | undefined): void {
    this.#readAgain = readAgain;
  }

  /** Puts the value of a later reading in its place. */
  renew(value: T): void {
    this.#value = value;
  }

  toString(): string {
    return shown;
  }

  toJSON(): string {
    return shown;
  }

  [inspect.custom](): string {
    return shown;
  }
}

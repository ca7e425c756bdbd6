import { inspect } from 'node:util';

const shown = '[secret]';

/** Holds a value that must not appear in a log line, error, inspection or JSON. Only `reveal` returns it. */
export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  /** The value itself, for the code that uses it. */
  reveal(): T {
    return this.#value;
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

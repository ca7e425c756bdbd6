import { inspect } from 'node:util';

const shown = '[secret]';

/** Holds a value that no log line, error, inspection or JSON may show. `reveal` is the one way to it. */
export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  /** The value itself, for the place that uses it. */
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

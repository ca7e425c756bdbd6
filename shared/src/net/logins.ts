/** A text with a login, such as a URL, that the operator may replace while the process runs: a `Secret`. */
export interface RenewableText {
  /** The value in use. */
  reveal(): string;
  /** What its file holds at this moment. It reads the file. */
  newest?(): string;
}

interface LoginsOptions {
  source: RenewableText;
  /** All of the text but the login. A text that names another place is not taken. */
  placeOf(text: string): string;
  /** Called once for each text that names another place. */
  onOtherPlace?: (() => void) | undefined;
}

/**
 * The logins for new connections to a store. While an operator changes a password, the store and this process know different ones for a
 * while, in either order. So a refused login is not the end: the other ones that may hold are tried at once.
 */
export interface Logins {
  /** The text for the next connection. */
  current(): string;
  /**
   * The store refused the login of this text.
   *
   * @returns whether another one is worth a try; false when all were refused one after the other
   */
  refuse(text: string): boolean;
  /** The store accepted the login of this text. */
  accept(text: string): void;
}

export function createLogins({ source, placeOf, onOtherPlace }: LoginsOptions): Logins {
  const place = placeOf(source.reveal());
  /** The last value of `source`, of any place. */
  let seen = source.reveal();
  let present = seen;
  /** The value before it: some servers of a store may still need it. */
  let earlier = seen;
  let accepted = seen;
  /** Taken in place of `present` after a refusal. */
  let chosen: string | null = null;
  const refused = new Set<string>();
  const elsewhere = new Set<string>();

  function isUsable(text: string): boolean {
    if (placeOf(text) === place) return true;
    if (!elsewhere.has(text)) onOtherPlace?.();
    elsewhere.add(text);
    return false;
  }

  function follow(): void {
    const value = source.reveal();
    if (value === seen) return;
    seen = value;
    if (!isUsable(value)) return;
    earlier = present;
    present = value;
    chosen = null;
    refused.clear();
  }

  return {
    current() {
      follow();
      return chosen ?? present;
    },
    refuse(text) {
      follow();
      refused.add(text);
      const candidates = [present, source.newest?.() ?? present, earlier, accepted];
      const next = candidates.find((each) => !refused.has(each) && isUsable(each));
      chosen = next ?? null;
      if (next === undefined) refused.clear();
      return next !== undefined;
    },
    accept(text) {
      accepted = text;
      refused.clear();
    },
  };
}

/** For code that is given a text alone. */
export const asRenewable = (text: string | RenewableText): RenewableText =>
  typeof text === 'string' ? { reveal: () => text } : text;

/** Members of JSON that another release, or something else than Latchkey, may have sent. A member of another type counts as missing. */
export interface Members {
  text(name: string): string | null;
  number(name: string): number | null;
  flag(name: string): boolean | null;
  members(name: string): Members;
  list(name: string): Members[];
  texts(name: string): string[];
  /** The members that are objects, by their names. */
  entries(): [string, Members][];
}

/** Control characters could move the cursor of a terminal or hide a line. */
function toPrintable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?').slice(0, 500);
}

/** @param value parsed JSON */
export function membersOf(value: unknown): Members {
  const all = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  const member = (name: string) => (Object.hasOwn(all, name) ? all[name] : undefined);
  const items = (name: string): unknown[] => {
    const found = member(name);
    return Array.isArray(found) ? found : [];
  };
  return {
    text(name) {
      const found = member(name);
      return typeof found === 'string' ? toPrintable(found) : null;
    },
    number(name) {
      const found = member(name);
      return typeof found === 'number' && Number.isFinite(found) ? found : null;
    },
    flag(name) {
      const found = member(name);
      return typeof found === 'boolean' ? found : null;
    },
    members: (name) => membersOf(member(name)),
    list: (name) => items(name).map(membersOf),
    texts: (name) =>
      items(name)
        .filter((each) => typeof each === 'string')
        .map(toPrintable),
    entries: () =>
      Object.entries(all)
        .filter(([, each]) => typeof each === 'object' && each !== null && !Array.isArray(each))
        .map(([name, each]) => [toPrintable(name), membersOf(each)]),
  };
}

/** A value that records which of its properties are read. */
export interface WatchedValue {
  readonly watched: unknown;
  findUnread(): string[];
}

/** Records which properties of a value are read, at any depth. */
export function watchReads(value: unknown): WatchedValue {
  const read = new Map<object, Set<string>>();
  const proxies = new Map<object, object>();

  function watch(part: unknown): unknown {
    if (typeof part !== 'object' || part === null) return part;
    const known = proxies.get(part);
    if (known) return known;
    const names = new Set<string>();
    read.set(part, names);
    const proxy = new Proxy(part, {
      get(target, name, receiver) {
        if (typeof name === 'string') names.add(name);
        return watch(Reflect.get(target, name, receiver));
      },
    });
    proxies.set(part, proxy);
    return proxy;
  }

  function findUnread(part: unknown, path: string): string[] {
    if (typeof part !== 'object' || part === null) return [];
    return Object.entries(part).flatMap(([name, child]) =>
      read.get(part)?.has(name) ? findUnread(child, `${path}/${name}`) : [`${path}/${name}`],
    );
  }

  return { watched: watch(value), findUnread: () => findUnread(value, '') };
}

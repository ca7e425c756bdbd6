import { parse } from 'yaml';

/** A package of the registry, as the lock file names it. */
interface LockedPackage {
  readonly name: string;
  readonly version: string;
  /** SHA-512 of the package's archive, in hexadecimal digits. */
  readonly sha512: string;
  /** `name@version` of the packages that it uses, sorted. */
  readonly uses: readonly string[];
}

interface Importer {
  dependencies?: Record<string, { version: string }>;
  optionalDependencies?: Record<string, { version: string }>;
}

interface LockFile {
  importers: Record<string, Importer>;
  packages: Record<string, { resolution: { integrity?: string } }>;
  snapshots: Record<
    string,
    { dependencies?: Record<string, string>; optionalDependencies?: Record<string, string> }
  >;
}

/** Packages of the registry that packages of the workspace use, and those that these use. */
export interface Closure {
  /** `name@version` of those that a package of the workspace uses itself, sorted. */
  readonly direct: readonly string[];
  /** All of them, by `name@version`, sorted. */
  readonly all: ReadonlyMap<string, LockedPackage>;
}

/**
 * Finds what packages of the workspace run with: their `dependencies`, also the optional ones, and the dependencies of these.
 *
 * @param lockFile the text of pnpm-lock.yaml
 * @param folders of the packages, from the root of the repository
 * @param leftOut names of packages that are removed afterwards
 * @throws Error if the lock file has no such package, or no SHA-512 of one
 */
export function findClosure(
  lockFile: string,
  folders: readonly string[],
  leftOut: readonly string[] = [],
): Closure {
  const lock: LockFile = parse(lockFile);
  const all = new Map<string, LockedPackage>();
  const direct = new Set<string>();
  const isKept = (name: string) => !leftOut.includes(name);

  const visit = (name: string, reference: string): string => {
    const { id, snapshot } = findSnapshot(lock, name, reference);
    if (all.has(id)) return id;
    const at = id.lastIndexOf('@');
    const uses: string[] = [];
    const entry = { name: id.slice(0, at), version: id.slice(at + 1), sha512: readSha512(lock, id), uses };
    // Before its dependencies, because packages may use each other.
    all.set(id, entry);
    const needed = { ...snapshot.dependencies, ...snapshot.optionalDependencies };
    for (const [its, version] of Object.entries(needed)) if (isKept(its)) uses.push(visit(its, version));
    uses.sort();
    return id;
  };
  for (const folder of folders) {
    const importer = lock.importers[folder];
    if (!importer) throw new Error(`pnpm-lock.yaml has no package in ${folder}`);
    for (const [name, { version }] of Object.entries({
      ...importer.dependencies,
      ...importer.optionalDependencies,
    }))
      if (!version.startsWith('link:') && isKept(name)) direct.add(visit(name, version));
  }
  return { direct: [...direct].sort(), all: new Map([...all].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** @param reference a version with the versions of its peers in brackets, or the whole id where the name is an alias */
function findSnapshot(lock: LockFile, name: string, reference: string) {
  const key = [`${name}@${reference}`, reference].find((candidate) => candidate in lock.snapshots);
  const snapshot = key === undefined ? undefined : lock.snapshots[key];
  if (key === undefined || !snapshot)
    throw new Error(`pnpm-lock.yaml does not describe ${name}@${reference}`);
  return { id: key.replace(/\(.*$/, ''), snapshot };
}

function readSha512(lock: LockFile, id: string): string {
  const [, digest] = /^sha512-(.+)$/.exec(lock.packages[id]?.resolution.integrity ?? '') ?? [];
  if (!digest) throw new Error(`pnpm-lock.yaml has no SHA-512 of ${id}`);
  return Buffer.from(digest, 'base64').toString('hex');
}

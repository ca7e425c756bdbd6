import { posix } from 'node:path';
import { importsOf } from './import-directions.ts';

/**
 * Finds files that import each other, directly or through others. An import of a type counts: neither file can be understood
 * before the other.
 *
 * @param files text by path from the root of the repository
 * @returns each cycle as a sentence
 */
export function findCycles(files: ReadonlyMap<string, string>): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string) => {
    const start = path.indexOf(file);
    if (start >= 0) cycles.push(`${[...path.slice(start), file].join(' imports ')}: a cycle`);
    if (start >= 0 || done.has(file)) return;
    path.push(file);
    for (const specifier of importsOf(files.get(file) ?? '')) {
      const target = posix.join(posix.dirname(file), specifier);
      if (specifier.startsWith('.') && files.has(target)) visit(target);
    }
    path.pop();
    done.add(file);
  };
  for (const file of files.keys()) visit(file);
  return cycles;
}

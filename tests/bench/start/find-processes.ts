import { readdirSync, readFileSync } from 'node:fs';

/** Every process below this one, without itself, by the parents that /proc names (Linux). */
export function findProcesses(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = readParent(name);
    if (parent !== null) parents.set(Number(name), parent);
  }
  const below = (ancestor: number): number[] =>
    [...parents].filter(([, parent]) => parent === ancestor).flatMap(([child]) => [child, ...below(child)]);
  return below(pid);
}

/** @returns null where the process has ended meanwhile */
function readParent(pid: string): number | null {
  try {
    return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return null;
  }
}

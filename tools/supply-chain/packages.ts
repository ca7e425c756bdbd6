import { parse } from 'yaml';
import { shippedFolders } from './bill.ts';

type Read = (file: string) => string;

/** The packages that shipped packages state in `dependencies`, also optional ones, without the packages of the workspace. */
export function listDirectPackages(read: Read): string[] {
  const names = shippedFolders.flatMap((folder) => {
    const { dependencies, optionalDependencies } = JSON.parse(read(`${folder}/package.json`));
    return Object.keys({ ...dependencies, ...optionalDependencies });
  });
  return [...new Set(names)].filter((name) => !name.startsWith('@latchkey/'));
}

/** Finds packages that docs/design/dependencies.md lacks, or names although Latchkey runs without them. */
export function findUndocumentedPackages(read: Read): string[] {
  const { peerDependencies } = JSON.parse(read('sdk/player/package.json'));
  const used = new Set([...listDirectPackages(read), ...Object.keys(peerDependencies)]);
  const rows = read('docs/design/dependencies.md').match(/^\| `.*/gm) ?? [];
  const named = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  return [
    ...[...used]
      .filter((name) => !named.includes(name))
      .map((name) => `docs/design/dependencies.md lacks ${name}`),
    ...named
      .filter((name = '') => !used.has(name))
      .map((name) => `docs/design/dependencies.md names ${name}, which nothing runs with`),
  ];
}

/**
 * Finds packages of the workspace that could be published by accident, and packages that an installation could fetch from a registry,
 * in which the name may be a stranger's.
 */
export function findPublishable(read: Read): string[] {
  const { importers } = parse(read('pnpm-lock.yaml')) as {
    importers: Record<string, Record<string, Record<string, { specifier: string }>>>;
  };
  const fetched = Object.entries(importers).flatMap(([folder, groups]) =>
    Object.values(groups)
      .flatMap(Object.entries<{ specifier: string }>)
      .filter(([name, { specifier }]) => name.startsWith('@latchkey/') && specifier !== 'workspace:*')
      .map(([name]) => `${folder} takes ${name} from a registry: write workspace:*`),
  );
  return [
    ...fetched,
    ...Object.keys(importers)
      .filter((folder) => JSON.parse(read(`${folder}/package.json`)).private !== true)
      .map((folder) => `${folder} is not private: npm could publish it`),
    ...(read('.npmrc').includes('@latchkey:registry=https://latchkey.invalid/\n')
      ? []
      : ['.npmrc does not keep the names @latchkey/… from a registry']),
  ];
}

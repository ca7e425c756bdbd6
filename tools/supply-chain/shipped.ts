import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { images } from '../image/images.ts';
import { type Closure, findClosure } from './lock-file.ts';

/** The dashboard is built into images that serve it, so what it uses is part of them. */
const dashboard = 'admin';
const folders = [...new Set(Object.values(images).flatMap(({ packages }) => packages))];

/** Folders of the packages that run somewhere else than in a test: in an image, in a browser or on the machine of an operator. */
export const shippedFolders: readonly string[] = [...folders, dashboard, 'sdk/player'].sort();

/**
 * The packages of the registry that are shipped.
 *
 * @param root of the repository
 * @param image the build argument PACKAGE of one image; left out: everything
 * @throws Error if there is no such image
 */
export function findShipped(root: string, image?: string): Closure {
  const lockFile = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8');
  if (image === undefined) return findClosure(lockFile, shippedFolders);
  const { packages, hasDashboard, unused } = images[image] ?? {};
  if (!packages) throw new Error(`${image} is not an image. Accepted: ${Object.keys(images).join(', ')}`);
  return findClosure(lockFile, hasDashboard ? [...packages, dashboard] : packages, unused);
}

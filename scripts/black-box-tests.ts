import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listSourceFiles } from './rules/source-files.ts';

/** The calls by which a test comes to the server that `BASE_URL` names. A file without one starts a server of its own. */
const opening = 'openTarget(';
const dashboardOpening = 'openDashboard(';

/** What the server has to be configured with: the origin of the pages with players (acceptance/src/player/player-stage.ts). */
export const blackBoxSettings = { CORS_ORIGINS: 'http://player.localhost' };

/**
 * The acceptance tests that act on whatever server they are given, as paths from the root of the repository; with
 * `dashboard` those of its pages too, which take as long as all others together.
 */
export function listBlackBoxTests(root: string, { dashboard = false } = {}): string[] {
  const isBlackBox = (file: string) => {
    if (!/^acceptance\/src\/.*\.test\.ts$/.test(file)) return false;
    const text = readFileSync(join(root, file), 'utf8');
    return text.includes(opening) || (dashboard && text.includes(dashboardOpening));
  };
  return listSourceFiles(root).filter(isBlackBox);
}
